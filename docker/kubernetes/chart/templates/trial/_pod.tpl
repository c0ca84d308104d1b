{{/* Common to all pods of the trial: {root, part}. */}}
{{- define "fanfare.trialMeta" -}}
name: {{ include "fanfare.fullname" .root }}-{{ .part }}
labels:
  {{- include "fanfare.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "fanfare.trialSelector" -}}
{{ include "fanfare.selector" .root }}
app.kubernetes.io/component: {{ .part }}
fanfare/role: trial
{{- end -}}

{{/* {root, part, port} */}}
{{- define "fanfare.trialService" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "fanfare.trialMeta" . | nindent 2 }}
spec:
  ports:
    - { name: {{ .part }}, port: {{ .port }}, targetPort: {{ .part }}, protocol: TCP }
  selector:
    {{- include "fanfare.trialSelector" . | nindent 4 }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "fanfare.trialMeta" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "fanfare.trialSelector" . | nindent 6 }}
  policyTypes: [Ingress]
  ingress:
    # There are no passwords, so no other pods can connect.
    - from:
        - podSelector:
            matchLabels:
              {{- include "fanfare.appSelector" .root | nindent 14 }}
      ports: [{ port: {{ .part }}, protocol: TCP }]
{{- end -}}

{{/* {user} */}}
{{- define "fanfare.trialPodSecurity" -}}
serviceAccountName: {{ include "fanfare.serviceAccountName" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .user }}
  fsGroup: {{ .user }}
  seccompProfile: { type: RuntimeDefault }
{{- end -}}
