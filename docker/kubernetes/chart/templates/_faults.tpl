{{/* Fails with all missing and invalid values together. */}}
{{- define "fanfare.assertValues" -}}
{{- $faults := list -}}
{{- $values := .Values -}}
{{- if not $values.publicUrl -}}
{{- $faults = append $faults "publicUrl is required: where people open the page, such as https://chat.example.org" -}}
{{- end -}}
{{- range $part := list "tokenSecret" "mongodb" "nats" "redis" "mail" "oidc" "ldap" "scim" -}}
{{- $settings := index $values $part -}}
{{- $wanted := ne (toString $settings.enabled) "false" -}}
{{- if and $values.trial.enabled (has $part (list "mongodb" "nats" "redis")) -}}{{- $wanted = false -}}{{- end -}}
{{- if $settings.url -}}
{{- $wanted = false -}}
{{- if contains "@" $settings.url -}}
{{- $faults = append $faults (printf "%s.url must not have a password: put the URL into a Secret, and its name into %s.existingSecret" $part $part) -}}
{{- end -}}
{{- end -}}
{{- if and $wanted (not $settings.existingSecret) (not $values.existingSecret) -}}
{{- $faults = append $faults (printf "%s.existingSecret (or existingSecret for all) is required: the name of a Secret with the key %s" $part $settings.key) -}}
{{- end -}}
{{- end -}}
{{- with $values.files -}}
{{- if and .s3.bucket .folder.enabled -}}
{{- $faults = append $faults "files.s3.bucket and files.folder.enabled exclude each other" -}}
{{- else if not (or .s3.bucket .folder.enabled) -}}
{{- $faults = append $faults "files.s3.bucket is required, or files.folder.enabled with a volume that all pods share" -}}
{{- else if and .s3.bucket (not .s3.existingSecret) (not $values.existingSecret) -}}
{{- $faults = append $faults (printf "files.s3.existingSecret (or existingSecret for all) is required: the name of a Secret with the keys %s and %s" .s3.accessKeyIdKey .s3.secretAccessKeyKey) -}}
{{- end -}}
{{- end -}}
{{- if and $values.mail.enabled (not $values.mail.from) -}}
{{- $faults = append $faults "mail.from is required with mail.enabled" -}}
{{- end -}}
{{- if and $values.oidc.enabled (not (and $values.oidc.issuer $values.oidc.clientId)) -}}
{{- $faults = append $faults "oidc.issuer and oidc.clientId are required with oidc.enabled" -}}
{{- end -}}
{{- with $values.livekit -}}
{{- if and (or .enabled .url) (not .existingSecret) (not $values.existingSecret) -}}
{{- $faults = append $faults (printf "livekit.existingSecret (or existingSecret for all) is required: the name of a Secret with the keys %s and %s" .keyKey .secretKey) -}}
{{- end -}}
{{- if and .enabled (not .url) (not $values.ingress.enabled) (not $values.httpRoute.enabled) -}}
{{- $faults = append $faults "livekit.url is required with livekit.enabled, unless ingress or httpRoute is enabled: how browsers reach LiveKit" -}}
{{- end -}}
{{- if and .enabled (not .hostNetwork) (not .nodeIp) -}}
{{- $faults = append $faults "livekit.nodeIp is required without livekit.hostNetwork: the address that clients send media to" -}}
{{- end -}}
{{- if ne (empty .turn.domain) (empty .turn.tlsSecretName) -}}
{{- $faults = append $faults "livekit.turn.domain and livekit.turn.tlsSecretName are required together" -}}
{{- end -}}
{{- end -}}
{{- with $values.tracing -}}
{{- if and .headersKey (not .existingSecret) (not $values.existingSecret) -}}
{{- $faults = append $faults (printf "tracing.existingSecret (or existingSecret for all) is required: the name of a Secret with the key %s" .headersKey) -}}
{{- end -}}
{{- if contains "@" .endpoint -}}
{{- $faults = append $faults "tracing.endpoint must not have a password: put it into a header, and that into a Secret (tracing.headersKey)" -}}
{{- end -}}
{{- end -}}
{{- $hosted := list -}}
{{- range $name, $worker := include "fanfare.workers" . | fromJson -}}
{{- $hosted = concat $hosted ($worker.services | default list) -}}
{{- if has $name (list "gateway" "ops" "mongodb" "nats" "redis" "livekit") -}}
{{- $faults = append $faults (printf "workers.%s needs another name: that one is taken" $name) -}}
{{- end -}}
{{- end -}}
{{- if not (has "workers" $hosted) -}}
{{- $left := list -}}
{{- range (splitList " " (include "fanfare.workerServices" .)) -}}
{{- if not (has . $hosted) -}}{{- $left = append $left . -}}{{- end -}}
{{- end -}}
{{- if $left -}}
{{- $faults = append $faults (printf "workers: none has the services %s" (join ", " $left)) -}}
{{- end -}}
{{- end -}}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) -}}
{{- $faults = append $faults "httpRoute.parentRefs is required with httpRoute.enabled: the Gateway it belongs to" -}}
{{- end -}}
{{- if and $values.networkPolicy.enabled $values.networkPolicy.egress.enabled (not $values.networkPolicy.egress.rules) (not $values.trial.enabled) -}}
{{- $faults = append $faults "networkPolicy.egress.rules is required with networkPolicy.egress.enabled: where MongoDB, NATS and Redis are" -}}
{{- end -}}
{{- if $faults -}}
{{- fail (printf "\n\nThe values of the chart have faults:\n  - %s\n" (join "\n  - " $faults)) -}}
{{- end -}}
{{- end -}}

{{/* All services except the gateway, as in packages/contract/src/services.ts. */}}
{{- define "fanfare.workerServices" -}}
user group message presence search bot preview admin file inbox call plugin
{{- end -}}
