{{/*
Objects of the chart are those of deploy/, which tools/generate copies to files/: a template takes one, sets what values say, and
prints it. So rules, webhooks, privileges and probes are written once, for kustomize and for Helm.
*/}}

{{/* The documents of a file below files/, as JSON {items: [...]}: (dict "root" $ "file" "operator/rbac.yaml") */}}
{{- define "hearth.documents" -}}
{{- $items := list -}}
{{- range splitList "\n---\n" (required (printf "%s is not in the chart" .file) (.root.Files.Get (printf "files/%s" .file))) -}}
{{- $items = append $items (fromYaml (printf "%s\n" .)) -}}
{{- end -}}
{{- toJson (dict "items" $items) -}}
{{- end -}}

{{/* One of them by its kind, and by its name where a file has several: (dict "root" $ "file" ... "kind" ... "name" ...) */}}
{{- define "hearth.document" -}}
{{- $wanted := . -}}
{{- range (include "hearth.documents" . | fromJson).items -}}
{{- if and (eq .kind $wanted.kind) (or (not (hasKey $wanted "name")) (eq .metadata.name $wanted.name)) -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Prints an object of this release: (dict "root" $ "object" $object) */}}
{{- define "hearth.print" -}}
{{- $metadata := .object.metadata -}}
{{- if hasKey $metadata "namespace" -}}
{{- $_ := set $metadata "namespace" (.namespace | default .root.Release.Namespace) -}}
{{- end -}}
{{- $_ := set $metadata "labels" (merge (include "hearth.labels" .root | fromYaml) ($metadata.labels | default dict)) -}}
---
{{ toYaml .object }}
{{ end -}}

{{- define "hearth.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "hearth.image" -}}
{{ .image.repository }}:{{ .image.tag | default .root.Chart.AppVersion }}
{{- end -}}

{{/* The namespace that is looked after; empty: all of them. */}}
{{- define "hearth.restrictedTo" -}}
{{- if .Values.namespaceRestriction.enabled -}}
{{- .Values.namespaceRestriction.targetNamespace | default .Release.Namespace -}}
{{- end -}}
{{- end -}}

{{/* What is there once in a cluster is named after the namespace when there may be several of us. */}}
{{- define "hearth.clusterName" -}}
{{- with include "hearth.restrictedTo" .root -}}
{{ $.name }}-{{ . }}
{{- else -}}
{{ .name }}
{{- end -}}
{{- end -}}

{{/* A role or a binding, with our accounts as subjects: (dict "root" $ "object" $object) */}}
{{- define "hearth.printRight" -}}
{{- $root := .root -}}
{{- $object := .object -}}
{{- if hasPrefix "Cluster" $object.kind -}}
{{- $_ := set $object.metadata "name" (include "hearth.clusterName" (dict "root" $root "name" $object.metadata.name)) -}}
{{- end -}}
{{- with $object.roleRef -}}
{{- if eq .kind "ClusterRole" -}}
{{- $_ := set . "name" (include "hearth.clusterName" (dict "root" $root "name" .name)) -}}
{{- end -}}
{{- end -}}
{{- range $object.subjects -}}
{{- $_ := set . "namespace" $root.Release.Namespace -}}
{{- $_ := set . "name" (ternary $root.Values.serviceAccount.agent $root.Values.serviceAccount.operator (eq .name "snapshot-agent")) -}}
{{- end -}}
{{- include "hearth.print" . -}}
{{- end -}}

{{/*
All of a rights file. With a restriction the bindings to a whole cluster are left out for the namespace's own:
(dict "root" $ "file" "operator/rbac.yaml" "role" "hearth-operator" "account" "hearth-operator" "without" (list ...))
*/}}
{{- define "hearth.rights" -}}
{{- $root := .root -}}
{{- $given := . -}}
{{- $restricted := include "hearth.restrictedTo" $root -}}
{{- range (include "hearth.documents" . | fromJson).items -}}
{{- if eq .kind "ServiceAccount" -}}
{{- if $root.Values.serviceAccount.create -}}
{{- $_ := set .metadata "name" $given.account -}}
{{- include "hearth.setIf" (dict "in" .metadata "key" "annotations" "value" $root.Values.serviceAccount.annotations) -}}
{{- include "hearth.print" (dict "root" $root "object" .) -}}
{{- end -}}
{{- else if not $root.Values.rbac.create -}}
{{- else if has .metadata.name $given.without -}}
{{- else if and $restricted (eq .kind "ClusterRoleBinding") (eq .metadata.name $given.role) -}}
{{- else -}}
{{- include "hearth.printRight" (dict "root" $root "object" .) -}}
{{- end -}}
{{- end -}}
{{- if and $restricted $root.Values.rbac.create -}}
{{- range (include "hearth.documents" (dict "root" $root "file" "one-namespace/cluster-rights.yaml") | fromJson).items -}}
{{- if eq .metadata.name (printf "%s-cluster" $given.role) -}}
{{- include "hearth.printRight" (dict "root" $root "object" .) -}}
{{- end -}}
{{- end -}}
{{- $here := include "hearth.document" (dict "root" $root "file" "one-namespace/bindings.yaml" "kind" "RoleBinding" "name" (printf "%s-here" $given.role)) -}}
{{- range $given.namespaces -}}
{{- include "hearth.printRight" (dict "root" $root "object" (fromJson $here) "namespace" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Fails when a list of variables has one that the chart sets: (dict "env" list "reserved" (dict NAME instead)) */}}
{{- define "hearth.checkEnvironment" -}}
{{- $reserved := .reserved -}}
{{- range .env -}}
{{- if hasKey $reserved .name -}}
{{- fail (printf "%s is reserved; %s instead" .name (get $reserved .name)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Sets a key when there is something to set: (dict "in" $map "key" "name" "value" $value) */}}
{{- define "hearth.setIf" -}}
{{- if .value }}{{ $_ := set .in .key .value }}{{ end -}}
{{- end -}}

{{/* What pods of both kinds have in common: (dict "root" $ "pod" $spec "values" .Values.operator "account" ...) */}}
{{- define "hearth.setPod" -}}
{{- $_ := set .pod "serviceAccountName" .account -}}
{{- include "hearth.setIf" (dict "in" .pod "key" "imagePullSecrets" "value" .root.Values.imagePullSecrets) -}}
{{- include "hearth.setIf" (dict "in" .pod "key" "affinity" "value" .values.affinity) -}}
{{- include "hearth.setIf" (dict "in" .pod "key" "priorityClassName" "value" .values.priorityClassName) -}}
{{- $_ := unset .pod "nodeSelector" -}}
{{- include "hearth.setIf" (dict "in" .pod "key" "nodeSelector" "value" .values.nodeSelector) -}}
{{- $_ := unset .pod "tolerations" -}}
{{- include "hearth.setIf" (dict "in" .pod "key" "tolerations" "value" .values.tolerations) -}}
{{- end -}}

{{/* The operator's configuration, as YAML. */}}
{{- define "hearth.operatorConfiguration" -}}
{{- $map := include "hearth.document" (dict "root" . "file" "operator/deployment.yaml" "kind" "ConfigMap") | fromJson -}}
{{- $config := index $map.data "config.yaml" | fromYaml -}}
{{- $pvc := dict "pvcName" .Values.storage.pvc.name "basePath" .Values.storage.pvc.basePath -}}
{{- $storage := .Values.checkpoint.storage | default (dict "type" .Values.storage.type "pvc" $pvc) -}}
{{- $_ := set $config "checkpoint" (merge (dict "storage" $storage) .Values.checkpoint) -}}
{{- $_ := set $config.server.webhook "certProvisionMode" .Values.webhook.certProvisionMode -}}
{{- $_ := set $config.server.webhook "secretName" .Values.webhook.secretName -}}
{{- $_ := set $config "leaderElection" (dict "enabled" .Values.leaderElection.enabled "id" .Values.leaderElection.id "namespace" (.Values.leaderElection.namespace | default .Release.Namespace)) -}}
{{- with include "hearth.restrictedTo" . }}{{ $_ := set $config "namespace" (dict "restricted" .) }}{{ end -}}
{{- range $section := list "orchestrators" "dra" "discovery" "infrastructure" -}}
{{- include "hearth.setIf" (dict "in" $config "key" $section "value" (get $.Values $section)) -}}
{{- end -}}
{{- toYaml (mergeOverwrite $config .Values.operatorConfiguration) -}}
{{- end -}}

{{/* The agents' configuration, as YAML. */}}
{{- define "hearth.agentConfiguration" -}}
{{- $map := include "hearth.document" (dict "root" . "file" "agent/daemonset.yaml" "kind" "ConfigMap" "name" "snapshot-agent") | fromJson -}}
{{- $config := index $map.data "config.yaml" | fromYaml -}}
{{- $_ := set $config "storage" (dict "type" .Values.storage.type "basePath" .Values.storage.pvc.basePath) -}}
{{- toYaml (mergeOverwrite $config .Values.config) -}}
{{- end -}}
