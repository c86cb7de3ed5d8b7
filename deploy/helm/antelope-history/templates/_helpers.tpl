{{/* The start of all names of the release: at most 40 characters, so that the longest name is a DNS label. */}}
{{- define "antelope-history.fullname" -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* The apps of the mode, as JSON. `side` names the configuration; an app without an HTTP port has only its operations listener. */}}
{{- define "antelope-history.apps" -}}
{{- if eq .Values.mode "standalone" -}}
[{"name": "standalone", "side": "standalone", "http": 8888, "ops": 8890}]
{{- else -}}
{{- $gateway := dict "name" "gateway" "key" "gateway" "side" "api" "http" 8888 "ops" 8890 -}}
{{- $apps := list $gateway -}}
{{- if eq .Values.mode "suite" -}}
{{- $apps = list
  (dict "name" "reader" "key" "reader" "side" "indexing" "ops" 8894)
  (dict "name" "deserializer" "key" "deserializer" "side" "indexing" "ops" 8895)
  (dict "name" "indexer" "key" "indexer" "side" "indexing" "ops" 8896)
  (dict "name" "history-api" "key" "historyApi" "side" "api" "http" 8891 "ops" 8901)
  (dict "name" "chain-api" "key" "chainApi" "side" "api" "http" 8892 "ops" 8902)
  (dict "name" "trace-api" "key" "traceApi" "side" "api" "http" 8893 "ops" 8903)
  $gateway -}}
{{- end -}}
{{- $apps | toJson -}}
{{- end -}}
{{- end }}

{{/* Takes a dict of root and app. */}}
{{- define "antelope-history.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app.name }}
{{- end }}

{{- define "antelope-history.labels" -}}
{{ include "antelope-history.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "antelope-history.image" -}}
{{- $registry := .root.Values.image.registry -}}
{{- printf "%santelope-history/%s:%s" (ternary "" (printf "%s/" (trimSuffix "/" $registry)) (empty $registry)) .app.name (default .root.Chart.AppVersion .root.Values.image.tag) -}}
{{- end }}

{{/* The configuration of a side with what the chart adds, as JSON. Takes a dict of root and side. */}}
{{- define "antelope-history.config" -}}
{{- $config := deepCopy (get .root.Values.config .side) -}}
{{- $fullname := include "antelope-history.fullname" .root -}}
{{- if and (eq .side "api") (eq .root.Values.mode "suite") -}}
{{- $urls := dict -}}
{{- range $app := include "antelope-history.apps" .root | fromJsonArray -}}
{{- if hasSuffix "-api" $app.name -}}
{{- $_ := set $urls (printf "%s_url" (replace "-" "_" $app.name)) (printf "http://%s-%s:%v" $fullname $app.name $app.http) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $config "gateway" (mergeOverwrite $urls (default dict $config.gateway)) -}}
{{- end -}}
{{- if and (ne .side "standalone") (get .root.Values.passwords .side) -}}
{{- $users := dict "elasticsearch" (ternary "history_writer" "history_reader" (eq .side "indexing")) "rabbitmq" "history" "redis" "history" -}}
{{- range $section, $server := dict "store" "elasticsearch" "broker" "rabbitmq" "key_value" "redis" -}}
{{- $settings := get $config $section -}}
{{- if and $settings (eq (default "" $settings.kind) $server) -}}
{{- $file := printf "/etc/antelope-history/passwords/%s-password" $server -}}
{{- $access := dict "username" (get $users $server) "password_file" $file -}}
{{- $_ := set $settings $server (mergeOverwrite $access (default dict (get $settings $server))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $config | toPrettyJson -}}
{{- end }}

{{/* The pod of an app. Takes a dict of root and app. */}}
{{- define "antelope-history.pod" -}}
{{- $values := .root.Values -}}
{{- $isStandalone := eq .app.name "standalone" -}}
{{- $fullname := include "antelope-history.fullname" .root -}}
{{- $secret := ternary "" (get $values.passwords .app.side) $isStandalone -}}
metadata:
  labels:
    {{- include "antelope-history.labels" . | nindent 4 }}
  annotations:
    prometheus.io/scrape: 'true'
    prometheus.io/port: {{ .app.ops | quote }}
    # The pods are replaced when their configuration changes.
    checksum/config: {{ include "antelope-history.config" (dict "root" .root "side" .app.side) | sha256sum }}
spec:
  {{- with get $values.nodeSelector .app.side }}
  nodeSelector: {{ toJson . }}
  {{- end }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 15
  {{- with $values.image.pullSecrets }}
  imagePullSecrets: {{ toJson . }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  {{- if not $isStandalone }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "antelope-history.selector" . | nindent 10 }}
  {{- end }}
  containers:
    - name: {{ .app.name }}
      image: {{ include "antelope-history.image" . }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args: [--config, /etc/antelope-history/config.json]
      ports:
        {{- with .app.http }}
        - { name: http, containerPort: {{ . }} }
        {{- end }}
        - { name: ops, containerPort: {{ .app.ops }} }
      resources: {{ toJson (ternary $values.standalone (get $values.apps (default "" .app.key)) $isStandalone).resources }}
      startupProbe: { httpGet: { path: /live, port: ops }, periodSeconds: 2, failureThreshold: 60 }
      livenessProbe: { httpGet: { path: /live, port: ops }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
      readinessProbe: { httpGet: { path: /health, port: ops }, periodSeconds: 5, timeoutSeconds: 5 }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: config, mountPath: /etc/antelope-history/config.json, subPath: config.json, readOnly: true }
        {{- if $secret }}
        - { name: passwords, mountPath: /etc/antelope-history/passwords, readOnly: true }
        {{- end }}
        {{- if $isStandalone }}
        - { name: data, mountPath: /data }
        {{- end }}
  volumes:
    - { name: config, configMap: { name: {{ $fullname }}-{{ .app.side }} } }
    {{- if $secret }}
    # The mode 288 is 0440.
    - { name: passwords, secret: { secretName: {{ $secret }}, defaultMode: 288 } }
    {{- end }}
{{- end }}
