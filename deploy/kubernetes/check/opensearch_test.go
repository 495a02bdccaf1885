package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// The component for OpenSearch gives the pods its certificate, and takes nothing away from the
// base.
func TestOpenSearchComponent(t *testing.T) {
	t.Parallel()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(folder, os.DirFS("..")); err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(folder, "mine")
	if err := os.Mkdir(overlay, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "resources: [../example]\ncomponents: [../opensearch]\n"
	if err := os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), overlay)
	if err != nil {
		t.Fatal(err)
	}
	yaml, err := rendered.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mountPath: /etc/opensearch", "secretName: opensearch-ca", "mountPath: /tmp"} {
		if !strings.Contains(string(yaml), want) {
			t.Errorf("the manifests lack %q", want)
		}
	}
}
