{{/* An environment variable from a Secret: {root, part, name, key}. */}}
{{- define "fanfare.secretEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ default .root.Values.existingSecret .part.existingSecret }}
      key: {{ .key }}
{{- end -}}

{{/* The URL of a shared service: {root, part, name, trial}. */}}
{{- define "fanfare.urlEnv" -}}
{{- if .root.Values.trial.enabled -}}
- name: {{ .name }}
  value: {{ .trial | quote }}
{{- else if .part.url -}}
- name: {{ .name }}
  value: {{ .part.url | quote }}
{{- else -}}
{{ include "fanfare.secretEnv" (dict "root" .root "part" .part "name" .name "key" .part.key) }}
{{- end -}}
{{- end -}}

{{/* The environment of one role: {root, role, services, settings}. Gateways have no access to the database. */}}
{{- define "fanfare.env" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $full := include "fanfare.fullname" .root -}}
{{- $isGateway := eq .role "gateway" -}}
{{- $plain := dict "SERVICES" (join "," .services) "PUBLIC_URL" $values.publicUrl "DATA_DIR" "/data" -}}
{{- $_ := set $plain "NODE_ENV" "production" -}}
{{- $_ := set $plain "HOST" "0.0.0.0" -}}
{{- $_ := set $plain "PORT" "3000" -}}
{{- $_ := set $plain "OPS_HOST" "0.0.0.0" -}}
{{- $_ := set $plain "OPS_PORT" "3001" -}}
{{- if $isGateway -}}
{{- $_ := set $plain "MAX_CONNECTIONS" (.settings.maxConnections | int | toString) -}}
{{- $_ := set $plain "TRUST_PROXY" (or $values.ingress.enabled $values.httpRoute.enabled | toString) -}}
{{- end -}}
{{- with $values.files.s3 -}}
{{- if .bucket -}}
{{- $_ := set $plain "S3_BUCKET" .bucket -}}
{{- $_ := set $plain "S3_REGION" .region -}}
{{- with .endpoint -}}{{- $_ := set $plain "S3_ENDPOINT" . -}}{{- end -}}
{{- else -}}
{{- $_ := set $plain "FILES_DIR" "/files" -}}
{{- end -}}
{{- end -}}
{{- if $values.mail.enabled -}}{{- $_ := set $plain "MAIL_FROM" $values.mail.from -}}{{- end -}}
{{- if $values.oidc.enabled -}}
{{- $_ := set $plain "OIDC_ISSUER" $values.oidc.issuer -}}
{{- $_ := set $plain "OIDC_CLIENT_ID" $values.oidc.clientId -}}
{{- end -}}
{{- with $values.tracing -}}
{{- if .endpoint -}}
{{- $_ := set $plain "OTEL_EXPORTER_OTLP_ENDPOINT" .endpoint -}}
{{- $_ := set $plain "OTEL_TRACES_SAMPLER_ARG" .sampleRatio -}}
{{- $_ := set $plain "OTEL_SERVICE_NAME" $full -}}
{{- end -}}
{{- end -}}
{{- with include "fanfare.livekitUrl" .root -}}
{{- $_ := set $plain "LIVEKIT_URL" . -}}
{{- with include "fanfare.livekitServerUrl" $root -}}{{- $_ := set $plain "LIVEKIT_SERVER_URL" . -}}{{- end -}}
{{- end -}}
{{- /* `merge` would drop `false` and 0. */ -}}
{{- range $name, $value := $values.env -}}{{- $_ := set $plain $name $value -}}{{- end -}}
{{- range $name, $value := .settings.env -}}{{- $_ := set $plain $name $value -}}{{- end -}}
{{- range $name, $value := $plain }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- range $name, $key := $values.secretEnv }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" dict "name" $name "key" $key) }}
{{- end }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" $values.tokenSecret "name" "TOKEN_SECRET" "key" $values.tokenSecret.key) }}
{{- with $values.tokenSecret.previousKey }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" $values.tokenSecret "name" "TOKEN_SECRET_PREVIOUS" "key" .) }}
{{- end }}
{{ include "fanfare.urlEnv" (dict "root" $root "part" $values.nats "name" "NATS_URL" "trial" (printf "nats://%s-nats:4222" $full)) }}
{{ include "fanfare.urlEnv" (dict "root" $root "part" $values.redis "name" "REDIS_URL" "trial" (printf "redis://%s-redis:6379" $full)) }}
{{- if not $isGateway }}
{{ include "fanfare.urlEnv" (dict "root" $root "part" $values.mongodb "name" "MONGO_URL" "trial" (printf "mongodb://%s-mongodb:27017/fanfare" $full)) }}
{{- end }}
{{- with $values.files.s3 }}
{{- if .bucket }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" . "name" "S3_ACCESS_KEY_ID" "key" .accessKeyIdKey) }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" . "name" "S3_SECRET_ACCESS_KEY" "key" .secretAccessKeyKey) }}
{{- end }}
{{- end }}
{{- if and $values.tracing.endpoint $values.tracing.headersKey }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" $values.tracing "name" "OTEL_EXPORTER_OTLP_HEADERS" "key" $values.tracing.headersKey) }}
{{- end }}
{{- if $values.mail.enabled }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" $values.mail "name" "SMTP_URL" "key" $values.mail.key) }}
{{- end }}
{{- if $values.oidc.enabled }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" $values.oidc "name" "OIDC_CLIENT_SECRET" "key" $values.oidc.key) }}
{{- with $values.oidc.providersKey }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" $values.oidc "name" "OIDC_PROVIDERS" "key" .) }}
{{- end }}
{{- end }}
{{- if $values.scim.enabled }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" $values.scim "name" "SCIM_TOKEN" "key" $values.scim.key) }}
{{- end }}
{{- with $values.push.fcmKey }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" $values.push "name" "FCM_SERVICE_ACCOUNT" "key" .) }}
{{- end }}
{{- with $values.push.apnsKey }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" $values.push "name" "APNS_KEY" "key" .) }}
{{- end }}
{{- if include "fanfare.livekitUrl" $root }}
{{ include "fanfare.livekitKeys" $root }}
{{- end }}
{{- if $values.ldap.enabled }}
{{ include "fanfare.secretEnv" (dict "root" $root "part" $values.ldap "name" "LDAP_BIND_PASSWORD" "key" $values.ldap.key) }}
{{- end }}
{{- end -}}
