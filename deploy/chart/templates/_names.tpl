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
