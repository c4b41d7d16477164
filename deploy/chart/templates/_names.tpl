{{- define "sluice.labels" -}}
app.kubernetes.io/part-of: sluice
{{- end }}

{{- define "sluice.watcherLabels" -}}
app.kubernetes.io/name: sluice-watcher
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sluice.executorLabels" -}}
app.kubernetes.io/name: sluice-executor
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sluice.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* Of whoever evicts and reports. */}}
{{- define "sluice.evictingRules" -}}
- apiGroups: [""]
  resources: [pods]
  verbs: [delete, list]
- apiGroups: [""]
  resources: [pods/status]
  verbs: [patch]
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
- apiGroups: [""]
  resources: [events]
  verbs: [create]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list]
- apiGroups: [resource.k8s.io]
  resources: [devicetaintrules]
  verbs: [get]
- apiGroups: [resource.k8s.io]
  resources: [devicetaintrules/status]
  verbs: [patch]
- apiGroups: [sluice.dev]
  resources: [pacedtaintrules, devicetaintslices, evictionpolicies]
  verbs: [get]
- apiGroups: [sluice.dev]
  resources: [pacedtaintrules/status, devicetaintslices/status, evictionpolicies/status]
  verbs: [patch]
{{- end }}
