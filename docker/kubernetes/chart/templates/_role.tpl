{{/*
Everything that one role is: its Deployment, PodDisruptionBudget and HorizontalPodAutoscaler.
{root, role, services, settings}
*/}}
{{- define "fanfare.role" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $settings := .settings -}}
{{- $name := printf "%s-%s" (include "fanfare.fullname" .root) .role -}}
{{- $kind := ternary "gateway" "worker" (eq .role "gateway") -}}
{{- $scales := $settings.autoscaling.enabled -}}
{{- $fewest := ternary $settings.autoscaling.minReplicas $settings.replicas $scales | int -}}
{{- $selector := printf "%s\napp.kubernetes.io/component: %s" (include "fanfare.appSelector" .root) .role -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "fanfare.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if not $scales }}
  replicas: {{ $settings.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  {{- if eq $kind "worker" }}
  # A migration can take longer than the ten minutes after which Kubernetes reports a failed rollout.
  progressDeadlineSeconds: 7200
  {{- end }}
  strategy:
    type: RollingUpdate
    # Starts new pods before it stops old ones.
    rollingUpdate: { maxUnavailable: 0, maxSurge: {{ ternary "25%" "1" (eq $kind "gateway") }} }
  selector:
    matchLabels:
      {{- $selector | nindent 6 }}
  template:
    metadata:
      labels:
        {{- $selector | nindent 8 }}
        fanfare/role: {{ $kind }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $settings.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "fanfare.serviceAccountName" .root }}
      automountServiceAccountToken: false
      # Environment variables of Services could be mistaken for settings.
      enableServiceLinks: false
      # The preStop delay, plus 10 s for the program to stop after SIGTERM (services/node/src/run-program.ts), plus a reserve.
      terminationGracePeriodSeconds: {{ add $settings.preStopSeconds 15 }}
      {{- with $values.image.pullSecrets }}
      imagePullSecrets:
        {{- range . }}
        - name: {{ . }}
        {{- end }}
      {{- end }}
      {{- with $settings.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      securityContext:
        {{- toYaml $values.podSecurityContext | nindent 8 }}
      topologySpreadConstraints:
        {{- if $settings.topologySpreadConstraints }}
        {{- toYaml $settings.topologySpreadConstraints | nindent 8 }}
        {{- else }}
        {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - topologyKey: {{ . }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- $selector | nindent 14 }}
          # Per version: pods of the previous one don't count.
          matchLabelKeys: [pod-template-hash]
        {{- end }}
        {{- end }}
      {{- with $settings.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $settings.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $settings.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: fanfare
          image: {{ include "fanfare.image" .root | quote }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          securityContext:
            {{- toYaml $values.securityContext | nindent 12 }}
          env:
            {{- include "fanfare.env" . | trim | nindent 12 }}
          ports:
            {{- if eq $kind "gateway" }}
            - { name: http, containerPort: 3000, protocol: TCP }
            {{- end }}
            - { name: ops, containerPort: 3001, protocol: TCP }
          # Two minutes to connect to the database and the other services.
          startupProbe:
            httpGet: { path: /livez, port: ops }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /livez, port: ops }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          readinessProbe:
            httpGet: { path: /readyz, port: ops }
            periodSeconds: 5
            timeoutSeconds: 3
            failureThreshold: 2
          {{- if $settings.preStopSeconds }}
          lifecycle:
            preStop:
              sleep: { seconds: {{ $settings.preStopSeconds }} }
          {{- end }}
          resources:
            {{- toYaml $settings.resources | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            - { name: data, mountPath: /data }
            {{- if $values.files.folder.enabled }}
            - { name: files, mountPath: /files }
            {{- end }}
      volumes:
        - name: tmp
          {{- if $values.tmp.storageClassName }}
          ephemeral:
            volumeClaimTemplate:
              spec:
                accessModes: [ReadWriteOnce]
                storageClassName: {{ $values.tmp.storageClassName }}
                resources: { requests: { storage: {{ $values.tmp.size }} } }
          {{- else }}
          emptyDir: { sizeLimit: {{ $values.tmp.size }} }
          {{- end }}
        - name: data
          emptyDir: { sizeLimit: 1Gi }
        {{- if $values.files.folder.enabled }}
        - name: files
          persistentVolumeClaim:
            claimName: {{ include "fanfare.filesClaim" .root }}
        {{- end }}
{{- if and $settings.pdb.enabled (gt $fewest 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  labels:
    {{- include "fanfare.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  maxUnavailable: {{ $settings.pdb.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- $selector | nindent 6 }}
{{- end }}
{{- if $scales }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  labels:
    {{- include "fanfare.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $name }} }
  minReplicas: {{ $settings.autoscaling.minReplicas }}
  maxReplicas: {{ $settings.autoscaling.maxReplicas }}
  metrics:
    {{- if eq $kind "gateway" }}
    - type: Pods
      pods:
        metric: { name: fanfare_connections }
        target: { type: AverageValue, averageValue: {{ $settings.autoscaling.connections | int | quote }} }
    {{- else }}
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ $settings.autoscaling.cpu }} }
    {{- end }}
  behavior:
    scaleUp:
      stabilizationWindowSeconds: 0
      policies:
        - { type: Percent, value: 100, periodSeconds: 60 }
        - { type: Pods, value: 2, periodSeconds: 60 }
    # A stopping gateway moves its clients to the others, so scale down slowly and one pod at a time.
    scaleDown:
      stabilizationWindowSeconds: 600
      policies:
        - { type: Pods, value: 1, periodSeconds: 120 }
{{- end }}
{{- end -}}
