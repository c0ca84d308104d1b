{{- define "fanfare.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "fanfare.fullname" -}}
{{- $name := include "fanfare.name" . -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "fanfare.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "fanfare.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Immutable labels, used in selectors. */}}
{{- define "fanfare.selector" -}}
app.kubernetes.io/name: {{ include "fanfare.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "fanfare.labels" -}}
{{ include "fanfare.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of all gateways and workers, but not of other parts of the release. */}}
{{- define "fanfare.appSelector" -}}
{{ include "fanfare.selector" . }}
app.kubernetes.io/part-of: fanfare
{{- end -}}

{{- define "fanfare.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The host of publicUrl, without a port. */}}
{{- define "fanfare.publicHost" -}}
{{- (urlParse .Values.publicUrl).hostname -}}
{{- end -}}

{{/* As JSON. Not in values.yaml, where defaults would be merged with an operator's values. */}}
{{- define "fanfare.workers" -}}
{{- default (dict "worker" (dict "services" (list "workers"))) .Values.workers | toJson -}}
{{- end -}}

{{- define "fanfare.filesClaim" -}}
{{- default (printf "%s-files" (include "fanfare.fullname" .)) .Values.files.folder.existingClaim -}}
{{- end -}}
