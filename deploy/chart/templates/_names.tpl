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

{{/* What evict may do: it reads live all that decides about a pod (docs/reference/live-reads.md). */}}
{{- define "sluice.evictRules" -}}
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
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list]
- apiGroups: [resource.k8s.io]
  resources: [resourceclaims, resourceslices, devicetaintrules, deviceclasses]
  verbs: [list]
- apiGroups: [sluice.dev]
  resources: [pacedtaintrules, devicetaintslices, evictionpolicies, evictionstops]
  verbs: [list]
{{- end }}

{{/* What report may do: status, Events, plans. It deletes and marks no pod. */}}
{{- define "sluice.reportRules" -}}
- apiGroups: [""]
  resources: [pods, namespaces]
  verbs: [list]
- apiGroups: [""]
  resources: [events]
  verbs: [create]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list]
- apiGroups: [resource.k8s.io]
  resources: [devicetaintrules]
  verbs: [list]
- apiGroups: [resource.k8s.io]
  resources: [devicetaintrules/status]
  verbs: [patch]
- apiGroups: [sluice.dev]
  resources: [pacedtaintrules, devicetaintslices, evictionpolicies, evictionstops]
  verbs: [list]
- apiGroups: [sluice.dev]
  resources: [pacedtaintrules/status, devicetaintslices/status, evictionpolicies/status]
  verbs: [patch]
{{- end }}

{{/* What it takes to tell the scheduler of PacedTaintRules and DeviceTaintSlices (setting projectRules). */}}
{{- define "sluice.projectionRules" -}}
- apiGroups: [resource.k8s.io]
  resources: [devicetaintrules]
  verbs: [list, create, delete]
{{- end }}

{{/* What it takes to remove reservations of consumers that are gone (setting releaseStaleConsumers). */}}
{{- define "sluice.releaseRules" -}}
- apiGroups: [resource.k8s.io]
  resources: [resourceclaims]
  verbs: [list]
- apiGroups: [resource.k8s.io]
  resources: [resourceclaims/status]
  verbs: [patch]
{{- end }}

{{/* A ClusterRole and its binding: name, rules, subjects, root. */}}
{{- define "sluice.role" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .name }}
  labels:
    {{- include "sluice.labels" .root | nindent 4 }}
rules:
  {{- include .rules .root | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .name }}
  labels:
    {{- include "sluice.labels" .root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .name }}
subjects:
  {{- if .group }}
  - apiGroup: rbac.authorization.k8s.io
    kind: Group
    name: {{ .group }}
  {{- else }}
  - kind: ServiceAccount
    name: sluice-executor
    namespace: {{ .root.Release.Namespace }}
  {{- end }}
{{- end }}
