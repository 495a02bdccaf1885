package files_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/google/go-cmp/cmp"
)

// What a rule leaves out is left out by whatever name a link gives it.
func TestNoLinkLeadsAroundARule(t *testing.T) {
	t.Parallel()
	outside := folder(t, map[string]string{"secret.md": "SECRET"})
	root := folder(t, map[string]string{
		"good.md": "good", ".git/config": "SECRET", "node_modules/m/index.md": "SECRET", "private/pay.md": "SECRET", "sub/.cache/x.md": "SECRET",
		"keys/id_rsa": "SECRET", "deploy/prod.pem": "SECRET", "draft-a.md": "SECRET", "Private/upper.md": "upper",
	})
	for name, target := range map[string]string{
		"notes.md": ".git/config", "chain.md": "notes.md", "chain2.md": "chain.md", "folder": ".git", "modules.md": "node_modules/m/index.md",
		"pay.md": "private/pay.md", "around.md": "sub/../private/pay.md", "dots.md": "./sub/.cache/../.cache/x.md", "key.md": "keys/id_rsa",
		"pem.txt": "deploy/prod.pem", "final.md": "draft-a.md", "out.md": filepath.Join(outside, "secret.md"), "up.md": "../" + filepath.Base(outside) + "/secret.md",
		"cache": "sub/.cache", "sub/deeper.md": "../.git/config", "absolute.md": filepath.Join(root, ".git/config"), "..data": ".git", "volume.md": "..data/config",
	} {
		if err := os.Symlink(target, filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, files.Options{Path: root, Exclude: []string{"private/**", "draft-*"}})
	if diff := cmp.Diff([]string{"Private/upper.md", "good.md"}, slices.Sorted(maps.Keys(got.docs))); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	for name, d := range got.docs {
		if strings.Contains(d.Text(), "SECRET") {
			t.Errorf("%s shows what a rule leaves out", name)
		}
	}
}

// A folder or a file that is exchanged for a link after it was listed is not followed.
func TestLinksThatAppearMeanwhile(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{"sub/deep/config": "plain", "top": "plain", "kept.md": "kept", ".git/deep/config": "SECRET", ".git/top": "SECRET"})
	c, err := files.New(files.Options{Path: root})
	if err != nil {
		t.Fatal(err)
	}
	for batch, err := range c.Sync(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for name, target := range map[string]string{"sub": ".git", "top": ".git/top"} {
			at := filepath.Join(root, name)
			if err := os.Rename(at, at+".old"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, at); err != nil {
				t.Fatal(err)
			}
		}
		if len(batch.Documents) != 3 {
			t.Errorf("%d documents were listed, want 3", len(batch.Documents))
		}
		for _, item := range batch.Documents {
			if d, err := item.Load(t.Context()); strings.Contains(d.Text(), "SECRET") || err == nil && d.Text() != "kept" {
				t.Errorf("%s holds %q, error %v", item.ID, d.Text(), err)
			}
		}
	}
}

// Kubernetes mounts files as links into a hidden folder; they are documents like others, by their
// own names.
func TestMountedVolumes(t *testing.T) {
	t.Parallel()
	const when = "..2026_03_04_05_06_07.0123456789"
	root := folder(t, map[string]string{
		when + "/guide.md": "guide", when + "/part/inner.md": "inner", when + "/.hidden.md": "SECRET", when + "/draft.md": "SECRET",
		"below/" + when + "/other.md": "other", "plain.md": "plain",
	})
	for name, target := range map[string]string{
		"..data": when, "guide.md": "..data/guide.md", "part": "..data/part", ".hidden.md": "..data/.hidden.md", "draft.md": "..data/draft.md",
		"below/..data": when, "below/other.md": "..data/other.md",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, files.Options{Path: root, Exclude: []string{"draft*"}, BaseURL: "https://docs.example"})
	addresses := make(map[string]string)
	for name, d := range got.docs {
		addresses[name+" "+d.Text()] = d.URL
	}
	if diff := cmp.Diff(map[string]string{
		"guide.md guide": "https://docs.example/guide.md", "part/inner.md inner": "https://docs.example/part/inner.md",
		"below/other.md other": "https://docs.example/below/other.md", "plain.md plain": "https://docs.example/plain.md",
	}, addresses); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if len(got.failures)+len(got.skipped) > 0 {
		t.Errorf("failures %v, skipped %v", got.failures, got.skipped)
	}
}

// Keys and settings with passwords are left out by name or by content, and named; pages about them
// are documents.
func TestKeysAreLeftOutAndNamed(t *testing.T) {
	t.Parallel()
	keys := []string{
		"id_rsa", "backup/id_ed25519", "id_rsa_work", "id_ecdsa.bak", "ssh_host_rsa_key", "server.pem", "TLS.KEY", "store.p12", "store.PFX", "trust.jks", "vault.kdbx", "site.ppk",
		"prod.env", ".env", ".env.production", ".envrc", ".netrc", "_netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials", ".aws/credentials", ".ssh/config", ".kube/config",
		"credentials", "credentials.json", "aws-credentials.ini", "secrets.yaml", "app.secrets.yml", "secrets.prod.yaml", "client_secret_12.apps.json", "my-service-account.json",
		"passwords.txt", "passwords.csv", "kubeconfig", "kubeconfig.prod", "admin.kubeconfig", "terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "prod.auto.tfvars.json",
		".htpasswd", "client.ovpn", "application_default_credentials.json",
	}
	pages := []string{
		"secrets.md", "passwords.html", "credentials.rst", "password-policy.txt", "env.go", "id_rsa.pub", "keys.md", "monkey.txt", "secretary.json", "netrc.md", "how-to-use-kubeconfig.md",
		"ca.crt", "environment.yaml", "terraform.md", "key.txt",
	}
	contents := map[string]string{"deploy.yaml": "token: ghp_" + "Zk3Jq9XwTn5Lr7Vb2Hd8Fs6Mp4Gc1Ya0QeUi" + "\n", "dir/notes.md": "# Notes\n\nText.",
		"runbook.md": "# Deploy\n\n" + strings.Repeat("Merge, wait for the build, and look at the dashboard. ", 20) + "\n\nThe token is ghp_" + "Zk3Jq9XwTn5Lr7Vb2Hd8Fs6Mp4Gc1Ya0QeUi" + ".\n"}
	for _, name := range keys {
		contents[name] = "PASSWORD=hunter2hunter2"
	}
	for _, name := range pages {
		contents[name] = "text about " + name
	}
	root := folder(t, contents)
	c, err := files.New(files.Options{Path: root})
	if err != nil {
		t.Fatal(err)
	}
	store := new(indextest.Store)
	run, err := newPipeline(t, store).Run(t.Context(), access.DefaultTenant, c, nil)
	if err != nil {
		t.Fatal(err)
	}
	var documents, withheld []string
	for _, e := range store.Entries(access.DefaultTenant) {
		_, name, _ := strings.Cut(string(e.Document.ID), ":")
		documents = append(documents, name)
	}
	for _, n := range run.Skipped {
		_, name, found := strings.Cut(n.Name, ":")
		if !found {
			name = n.Name
		}
		if !n.Secret || !strings.Contains(n.Sentence, "not for an index") && (name != "runbook.md" || !strings.Contains(n.Sentence, "read without")) {
			t.Errorf("%s: %+v, want it marked as a secret", name, n)
		}
		withheld = append(withheld, name)
	}
	slices.Sort(documents)
	slices.Sort(withheld)
	pages = append(pages, "dir/notes.md", "runbook.md")
	slices.Sort(pages)
	if diff := cmp.Diff(pages, documents); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	want := []string{"deploy.yaml", "runbook.md"}
	for _, name := range keys {
		if first, _, inside := strings.Cut(name, "/"); inside && strings.HasPrefix(name, ".") {
			name = first // a hidden folder is named as a whole
		}
		want = append(want, name)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, withheld); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

// A file that may say who reads it is known by how it begins, before it is read.
func TestFilesThatMayNarrow(t *testing.T) {
	t.Parallel()
	for begins, want := range map[string]bool{
		"---\nacl: group:a\n---\n": true, "---\n" + strings.Repeat("tag: x\n", 3000) + "acl: a\n---\n": true, "\n\nACL = group:a\n": true, "# Text\n": false, "\xff\xfea\x00c\x00l": true, "": false,
		strings.Repeat("é", 4<<10): false,
	} {
		for name, counts := range map[string]bool{"a.md": want, "a.go": false} {
			if got := files.Narrows(name, []byte(begins)); got != counts {
				t.Errorf("%s, %.20q: %v", name, begins, got)
			}
		}
	}
}
