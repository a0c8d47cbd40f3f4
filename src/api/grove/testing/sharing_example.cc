#include "api/grove/testing/sharing_example.h"

namespace hearth::api::grove {

std::string_view SharingExample() {
  return R"yaml(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata:
  name: rs-test
  namespace: default
spec:
  replicas: 1
  template:
    cliqueStartupType: CliqueStartupTypeAnyOrder
    terminationDelay: 4h0m0s
    headlessServiceConfig:
      publishNotReadyAddresses: false
    resourceClaimTemplates:
      - name: int-tpl
        templateSpec:
          spec:
            devices:
              requests:
              - name: device
                exactly:
                  deviceClassName: int-class
      - name: int-tpl2
        templateSpec:
          spec:
            devices:
              requests:
              - name: device
                exactly:
                  deviceClassName: int-class2
      - name: int-tpl3
        templateSpec:
          spec:
            devices:
              requests:
              - name: device
                exactly:
                  deviceClassName: int-class3
      - name: int-tpl4
        templateSpec:
          spec:
            devices:
              requests:
              - name: device
                exactly:
                  deviceClassName: int-class4
      - name: int-tpl5
        templateSpec:
          spec:
            devices:
              requests:
              - name: device
                exactly:
                  deviceClassName: int-class5
      - name: int-tpl6
        templateSpec:
          spec:
            devices:
              requests:
              - name: device
                exactly:
                  deviceClassName: int-class6
      - name: int-tpl7
        templateSpec:
          spec:
            devices:
              requests:
              - name: device
                exactly:
                  deviceClassName: int-class7
      - name: int-tpl8
        templateSpec:
          spec:
            devices:
              requests:
              - name: device
                exactly:
                  deviceClassName: int-class8
    resourceSharing:
    - name: int-tpl5
      scope: AllReplicas
    - name: ext-tpl
      scope: PerReplica
    - name: int-tpl
      scope: PerReplica
      filter:
        childCliqueNames: [worker-a]
    - name: int-tpl7
      scope: AllReplicas
      filter:
        childScalingGroupNames: [sga]
    cliques:
    - name: worker-a
      labels:
        role: a
      resourceSharing:
      - name: int-tpl4
        scope: PerReplica
      - name: ext-ns-tpl
        namespace: rs-shared
        scope: AllReplicas
      spec:
        roleName: worker-a
        replicas: 1
        minAvailable: 1
        podSpec:
          containers:
          - name: main
            image: registry.example/pause:1
    - name: worker-b
      resourceSharing:
      - name: int-tpl6
        scope: AllReplicas
      spec:
        roleName: worker-b
        replicas: 1
        minAvailable: 1
        podSpec:
          containers:
          - name: main
            image: registry.example/pause:1
    podCliqueScalingGroups:
    - name: sga
      replicas: 2
      minAvailable: 2
      cliqueNames: [worker-b]
      resourceSharing:
      - name: int-tpl2
        scope: AllReplicas
      - name: int-tpl3
        scope: PerReplica
      - name: int-tpl8
        scope: AllReplicas
        filter:
          childCliqueNames: [worker-b]
)yaml";
}

}  // namespace hearth::api::grove
