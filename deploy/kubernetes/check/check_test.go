// Package check builds the Kubernetes manifests as kubectl would and holds them against the API's
// own types. It is a separate module, so that those types are no dependency of the program.
package check

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	kyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// build renders an overlay and decodes every object strictly: a field that the API does not know,
// or that stands twice, is an error.
func build(t *testing.T, folder string) []runtime.Object {
	t.Helper()
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatalf("build %s: %v", folder, err)
	}
	text, err := rendered.AsYaml()
	if err != nil {
		t.Fatalf("print %s: %v", folder, err)
	}
	objects, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func decode(text []byte) ([]runtime.Object, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, policyv1.AddToScheme, networkingv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	for documents := kyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, document)
		}
		objects = append(objects, object)
	}
}

func one[T runtime.Object](t *testing.T, objects []runtime.Object) T {
	t.Helper()
	for _, o := range objects {
		if found, ok := o.(T); ok {
			return found
		}
	}
	var none T
	t.Fatalf("the manifests hold no %T", none)
	return none
}

func TestAMisspelledFieldIsNoticed(t *testing.T) {
	t.Parallel()
	_, err := decode([]byte("apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: footnote\nautomountServiceAcountToken: false\n"))
	if err == nil || !strings.Contains(err.Error(), "automountServiceAcountToken") {
		t.Errorf("the error is %v", err)
	}
}

func TestReplicasAreRolledWithoutALoss(t *testing.T) {
	t.Parallel()
	objects := build(t, "../example")
	deployment := one[*appsv1.Deployment](t, objects)
	if *deployment.Spec.Replicas < 2 {
		t.Errorf("%d replicas", *deployment.Spec.Replicas)
	}
	if rolling := deployment.Spec.Strategy.RollingUpdate; rolling.MaxUnavailable.IntValue() != 0 || rolling.MaxSurge.IntValue() != 1 {
		t.Errorf("a new version replaces more than it brings: %v", rolling)
	}
	pod := deployment.Spec.Template
	container := pod.Spec.Containers[0]
	if !slices.Equal(container.Args, []string{"serve", "--no-migrate"}) {
		t.Errorf("the replicas run %q", container.Args)
	}
	paths := map[string]*corev1.Probe{"/healthz": container.LivenessProbe, "/readyz": container.ReadinessProbe}
	for path, probe := range paths {
		if probe == nil || probe.HTTPGet.Path != path || probe.HTTPGet.Port.StrVal != "admin" {
			t.Errorf("the probe of %s is %v", path, probe)
		}
	}
	budget := one[*policyv1.PodDisruptionBudget](t, objects)
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	if err != nil || !selector.Matches(labels.Set(pod.Labels)) {
		t.Errorf("the disruption budget does not cover the replicas: %v", err)
	}
}

func TestPodsAreConfined(t *testing.T) {
	t.Parallel()
	objects := build(t, "../example")
	templates := map[string]corev1.PodSpec{
		"serve":   one[*appsv1.Deployment](t, objects).Spec.Template.Spec,
		"migrate": one[*batchv1.Job](t, objects).Spec.Template.Spec,
	}
	for name, pod := range templates {
		if !*pod.SecurityContext.RunAsNonRoot || *pod.AutomountServiceAccountToken {
			t.Errorf("%s may run as root, or sees the cluster's API", name)
		}
		for _, c := range pod.Containers {
			s := c.SecurityContext
			if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
				t.Errorf("%s is not confined: %v", name, s)
			}
			if c.Resources.Limits.Memory().IsZero() {
				t.Errorf("%s has no memory limit", name)
			}
		}
	}
}

// Metrics and health tell who asks how much; nobody but what watches the bot is told.
func TestAdminPortIsForMonitoringAlone(t *testing.T) {
	t.Parallel()
	objects := build(t, "../example")
	pod := one[*appsv1.Deployment](t, objects).Spec.Template
	policy := one[*networkingv1.NetworkPolicy](t, objects)
	selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
	if err != nil || !selector.Matches(labels.Set(pod.Labels)) || !slices.Contains(policy.Spec.PolicyTypes, networkingv1.PolicyTypeIngress) {
		t.Fatalf("the policy does not cover the replicas: %v", err)
	}
	admin := 0
	for _, rule := range policy.Spec.Ingress {
		if len(rule.Ports) == 0 {
			t.Errorf("a rule opens every port: %v", rule)
		}
		for _, port := range rule.Ports {
			if name := port.Port.String(); name == "http" {
				continue
			} else if name != "admin" || port.EndPort != nil {
				t.Errorf("port %s is open", name)
			}
			admin++
			if len(rule.From) != 1 || rule.From[0].IPBlock != nil || rule.From[0].PodSelector != nil {
				t.Fatalf("the admin port is open to %v", rule.From)
			}
			from := rule.From[0].NamespaceSelector
			if from == nil || len(from.MatchExpressions) > 0 || len(from.MatchLabels) != 1 || from.MatchLabels["kubernetes.io/metadata.name"] != "monitoring" {
				t.Errorf("the admin port is open to the namespaces %v", from)
			}
		}
	}
	if admin != 1 {
		t.Errorf("%d rules open the admin port", admin)
	}
}

// Pods reach names, HTTPS, the database and Redis, and no metadata service; the migration reaches
// the database alone.
func TestPodsReachWhatTheyNeed(t *testing.T) {
	t.Parallel()
	objects := build(t, "../example")
	pods := map[string]labels.Set{
		"serve": one[*appsv1.Deployment](t, objects).Spec.Template.Labels, "migrate": one[*batchv1.Job](t, objects).Spec.Template.Labels,
	}
	want := map[string][]int{"serve": {53, 443, 5432, 6379}, "migrate": {53, 5432}}
	for name, pod := range pods {
		reached := make(map[int]bool)
		for _, o := range objects {
			policy, ok := o.(*networkingv1.NetworkPolicy)
			if !ok {
				continue
			}
			selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
			if err != nil {
				t.Fatal(err)
			}
			if !selector.Matches(pod) || !slices.Contains(policy.Spec.PolicyTypes, networkingv1.PolicyTypeEgress) {
				continue
			}
			for _, rule := range policy.Spec.Egress {
				if len(rule.Ports) == 0 {
					t.Errorf("%s reaches every port of %v", name, rule.To)
				}
				for _, port := range rule.Ports {
					reached[port.Port.IntValue()] = true
				}
				for _, to := range rule.To {
					if to.IPBlock != nil && to.IPBlock.CIDR == "0.0.0.0/0" && !slices.Contains(to.IPBlock.Except, "169.254.0.0/16") {
						t.Errorf("%s reaches the metadata service", name)
					}
				}
			}
		}
		if got := slices.Sorted(maps.Keys(reached)); !slices.Equal(got, want[name]) {
			t.Errorf("%s reaches the ports %v, want %v", name, got, want[name])
		}
	}
}

// A root that cannot be written needs places for what is fetched: of a size, and where the program
// looks for them. An image is named by its digest.
func TestCachesHaveAPlaceAndASize(t *testing.T) {
	t.Parallel()
	pod := one[*appsv1.Deployment](t, build(t, "../example")).Spec.Template.Spec
	container := pod.Containers[0]
	cache := ""
	for _, e := range container.Env {
		if e.Name == "XDG_CACHE_HOME" {
			cache = e.Value
		}
	}
	for _, place := range []string{"/tmp", cache} {
		mount := slices.IndexFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == place && !m.ReadOnly })
		if place == "" || mount < 0 {
			t.Errorf("nothing is mounted at %q", place)
			continue
		}
		volume := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == container.VolumeMounts[mount].Name })
		if volume < 0 || pod.Volumes[volume].EmptyDir == nil || pod.Volumes[volume].EmptyDir.SizeLimit.IsZero() {
			t.Errorf("the volume at %s has no size", place)
		}
	}
	if !strings.Contains(container.Image, "@sha256:") {
		t.Errorf("the image %s is not named by its digest", container.Image)
	}
}

// What the program remembers of the index fits its container, and nothing else tells the Go runtime
// how much there is.
func TestMemoryLimitsAgree(t *testing.T) {
	t.Parallel()
	container := one[*appsv1.Deployment](t, build(t, "../example")).Spec.Template.Spec.Containers[0]
	limit := container.Resources.Limits.Memory().Value()
	index := int64(0)
	for _, e := range container.Env {
		switch e.Name {
		case "GOMEMLIMIT":
			t.Errorf("GOMEMLIMIT is set to %s beside a limit of %d", e.Value, limit)
		case "INDEX_MEMORY_BYTES":
			index, _ = strconv.ParseInt(e.Value, 10, 64) // 0 if it is no number
		}
	}
	if index == 0 || index > limit/2 {
		t.Errorf("the index takes %d bytes of %d", index, limit)
	}
}

func TestWhatPodsNameExists(t *testing.T) {
	t.Parallel()
	objects := build(t, "../example")
	exist := make(map[string]bool)
	for _, o := range objects {
		switch named := o.(type) {
		case *corev1.Secret:
			exist["secret "+named.Name] = true
		case *corev1.ConfigMap:
			exist["configuration "+named.Name] = true
		case *corev1.ServiceAccount:
			exist["account "+named.Name] = true
		}
	}
	serve, migrate := one[*appsv1.Deployment](t, objects).Spec.Template.Spec, one[*batchv1.Job](t, objects).Spec.Template.Spec
	for _, pod := range []corev1.PodSpec{serve, migrate} {
		wanted := []string{"account " + pod.ServiceAccountName}
		for _, c := range pod.Containers {
			for _, from := range c.EnvFrom {
				wanted = append(wanted, "secret "+from.SecretRef.Name)
			}
		}
		for _, volume := range pod.Volumes {
			if volume.ConfigMap != nil {
				wanted = append(wanted, "configuration "+volume.ConfigMap.Name)
			}
		}
		for _, name := range wanted {
			if !exist[name] {
				t.Errorf("nothing is %s; there is %v", name, exist)
			}
		}
	}
	if serve.Containers[0].EnvFrom[0].SecretRef.Name == migrate.Containers[0].EnvFrom[0].SecretRef.Name {
		t.Error("the replicas hold the credentials of the role that changes the schema")
	}
}
