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

{{/* Values without which nothing works and for which no default can be right. */}}
{{- define "sluice.requireValues" -}}
{{- $missing := list -}}
{{- if not .Values.image -}}
{{- $missing = append $missing "image is not set: --set image=NAME@sha256:DIGEST (docs/release.md says how to build and push it)" -}}
{{- end -}}
{{- if not .Values.queueUrl -}}
{{- $missing = append $missing "queueUrl is not set: --set queueUrl=URL (the stack's output IngestQueueUrl<Cluster>)" -}}
{{- end -}}
{{- if and .Values.executor.enabled (not .Values.executor.environment) -}}
{{- $missing = append $missing "executor.environment is not set: --set-json executor.environment=JSON (the stack's output ExecutorEnvironment<Cluster>)" -}}
{{- end -}}
{{- if $missing -}}
{{- fail (printf "\n%s" (join "\n" $missing)) -}}
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
