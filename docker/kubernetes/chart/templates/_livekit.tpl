{{/* How browsers reach LiveKit; empty without calls. */}}
{{- define "fanfare.livekitUrl" -}}
{{- if .Values.livekit.url -}}
{{- .Values.livekit.url -}}
{{- else if .Values.livekit.enabled -}}
{{- $public := urlParse .Values.publicUrl -}}
{{- ternary "wss" "ws" (eq $public.scheme "https") }}://{{ $public.host -}}
{{- end -}}
{{- end -}}

{{/* How pods reach LiveKit's API; empty: as browsers do. */}}
{{- define "fanfare.livekitServerUrl" -}}
{{- if .Values.livekit.serverUrl -}}
{{- .Values.livekit.serverUrl -}}
{{- else if .Values.livekit.enabled -}}
http://{{ include "fanfare.fullname" . }}-livekit:7880
{{- end -}}
{{- end -}}

{{- define "fanfare.livekitKeys" -}}
{{- $part := .Values.livekit -}}
{{ include "fanfare.secretEnv" (dict "root" . "part" $part "name" "LIVEKIT_KEY" "key" $part.keyKey) }}
{{ include "fanfare.secretEnv" (dict "root" . "part" $part "name" "LIVEKIT_SECRET" "key" $part.secretKey) }}
{{- end -}}

{{- define "fanfare.livekitSelector" -}}
{{ include "fanfare.selector" . }}
app.kubernetes.io/component: livekit
{{- end -}}
