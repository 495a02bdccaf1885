package main_test

import (
	"cmp"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// onePagePDF has one line on one page.
const onePagePDF = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj\n" +
	"4 0 obj<</Length 50>>stream\nBT /F1 18 Tf 20 50 Td (The port is 51820.) Tj ET \nendstream endobj\n" +
	"5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n"

// shipped reads what the image, compose.yaml and the Kubernetes manifests give the program.
func shipped(t *testing.T) map[string]shippedContainer {
	t.Helper()
	read := func(path string) []byte {
		raw, err := os.ReadFile(filepath.Join("..", "..", "deploy", filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	var image []string
	for line := range strings.Lines(string(read("Dockerfile"))) {
		if settings, found := strings.CutPrefix(line, "ENV "); found {
			image = append(image, strings.Fields(settings)...)
		}
	}
	var compose struct {
		Footnote struct {
			Environment map[string]string `yaml:"environment"`
			ReadOnly    bool              `yaml:"read_only"`
			Scratch     []string          `yaml:"tmpfs"`
			Volumes     []string          `yaml:"volumes"`
		} `yaml:"x-footnote"`
	}
	if err := yaml.Unmarshal(read("compose.yaml"), &compose); err != nil {
		t.Fatal(err)
	}
	f := compose.Footnote
	inCompose := shippedContainer{env: slices.Clone(image), readOnly: f.ReadOnly, Container: footnotetest.Container{Scratch: map[string]string{}}}
	for name, value := range f.Environment {
		inCompose.env = append(inCompose.env, name+"="+value)
	}
	for _, place := range f.Scratch {
		path, size, _ := strings.Cut(place, ":size=")
		inCompose.Scratch[path] = size
	}
	for _, volume := range f.Volumes {
		_, path, _ := strings.Cut(volume, ":")
		inCompose.Volumes = append(inCompose.Volumes, path)
	}
	var deployment struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct {
						Env             []struct{ Name, Value string }
						SecurityContext struct {
							ReadOnly bool `yaml:"readOnlyRootFilesystem"`
						} `yaml:"securityContext"`
						Mounts []struct {
							Path     string `yaml:"mountPath"`
							ReadOnly bool   `yaml:"readOnly"`
						} `yaml:"volumeMounts"`
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(read("kubernetes/base/deployment.yaml"), &deployment); err != nil {
		t.Fatal(err)
	}
	c := deployment.Spec.Template.Spec.Containers[0]
	inPod := shippedContainer{env: slices.Clone(image), readOnly: c.SecurityContext.ReadOnly}
	for _, e := range c.Env {
		inPod.env = append(inPod.env, e.Name+"="+e.Value)
	}
	for _, mount := range c.Mounts {
		if !mount.ReadOnly {
			inPod.Volumes = append(inPod.Volumes, mount.Path)
		}
	}
	inPod.env = append(inPod.env, "SECRET_KEYS="+strings.Repeat("ab", 32)) // as its example has it
	return map[string]shippedContainer{"compose": inCompose, "kubernetes": inPod}
}

// shippedContainer is what one way to deploy gives the program.
type shippedContainer struct {
	footnotetest.Container
	env      []string
	readOnly bool // the root
}

// overTCP returns the address of a database at a port of this machine: containers see no sockets in
// folders.
func overTCP(t *testing.T, address string) string {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	settings := at.Query()
	socket := filepath.Join(settings.Get("host"), ".s.PGSQL."+cmp.Or(settings.Get("port"), "5432"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = in.Close() }()
				out, err := net.Dial("unix", socket)
				if err != nil {
					return
				}
				defer func() { _ = out.Close() }()
				go func() {
					_, _ = io.Copy(out, in)
					_ = out.(interface{ CloseWrite() error }).CloseWrite()
				}()
				_, _ = io.Copy(in, out)
			}()
		}
	}()
	at.Host, at.RawQuery = listener.Addr().String(), "sslmode=disable"
	return at.String()
}

// Everything works in the containers that are shipped: a root that cannot be written, a user
// without rights, and the folders that are mounted. What cannot work there says so in a sentence.
func TestCommandsInShippedContainers(t *testing.T) {
	t.Parallel()
	containers := shipped(t)
	for name, c := range containers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !c.readOnly {
				t.Error("the root can be written")
			}
			repository := gittest.New(t)
			repository.Commit("first", map[string][]byte{"lighthouse.md": []byte("# Lighthouse\n\nThe lamp of the lighthouse is lit at dusk by the keeper.\n")})
			slack := slacktest.Start(slacktest.Config{})
			t.Cleanup(slack.Close)
			ann := slack.Person("ann", nil)
			room := slack.Channel("help", nil, ann)
			docs := t.TempDir()
			for file, text := range map[string]string{"port.pdf": onePagePDF, "boat.md": "# Boat\n\nThe boat is moored at the north pier.\n"} {
				if err := os.WriteFile(filepath.Join(docs, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c.ReadOnly = map[string]string{"/docs": docs, "/ca": filepath.Dir(repository.CAFile)}
			p := emptyProgram(t)
			p.env = append(c.env, socketSettings(slack, "DATABASE_URL="+overTCP(t, strings.TrimPrefix(p.env[0], "DATABASE_URL=")), "REDIS_URL=",
				"CA_FILE=/ca/"+filepath.Base(repository.CAFile), "ALLOW_PRIVATE_HOSTS=127.0.0.1", "HTTP_ADDR=", "ADMIN_ADDR="+footnotetest.FreeAddress(t), "FOOTNOTE_CONFIG=", "HOME=/", "TMPDIR=/tmp")...)
			p.path = footnotetest.Contained(t, footnotetest.Plain(t), c.Container)
			p.run(t, "migrate")
			for _, args := range [][]string{
				{"index", "/docs", "--acl", "members", "--acl", "public"},
				{"index", repository.URL, "--base-url", "https://git.example/acme/", "--acl", "public"},
				{"sources", "list"}, {"sources", "check"}, {"sources", "approve"}, {"people", "list"}, {"knowledge", "status"}, {"prompt", "show"},
				{"feedback"}, {"usage"}, {"slack", "manifest"}, {"doctor"},
			} {
				r := p.try(t, "", args...)
				if r.code != 0 || strings.Contains(r.stdout+r.stderr, "read-only") || strings.Contains(r.stdout+r.stderr, "permission denied") {
					t.Errorf("%v: exit code %d\n%s%s", args, r.code, r.stdout, r.stderr)
				}
			}
			for question, want := range map[string]string{
				"Which port is it?": "51820", "Where is the boat moored?": "north pier", "When is the lamp of the lighthouse lit?": "at dusk",
			} {
				if r := p.run(t, "ask", question); !strings.Contains(r.stdout, want) {
					t.Errorf("%s\n%s%s", question, r.stdout, r.stderr)
				}
				if r := p.try(t, question+"\n", "chat"); r.code != 0 || !strings.Contains(r.stdout, want) {
					t.Errorf("chat: %s\n%s%s", question, r.stdout, r.stderr)
				}
				if r := p.run(t, "search", question); !strings.Contains(r.stdout, want) {
					t.Errorf("search: %s\n%s%s", question, r.stdout, r.stderr)
				}
			}
			for command, want := range map[string]string{
				"sources add folder --path /docs --name docs --acl public": "run this with --dry-run", "database pg_dump": "PostgreSQL's client programs",
			} {
				if r := p.try(t, "\n\n\n\n", strings.Fields(command)...); r.code == 0 || !strings.Contains(r.stderr, want) {
					t.Errorf("%s: exit code %d\n%s%s", command, r.code, r.stdout, r.stderr)
				}
			}
			s := serve(t, p)
			defer s.stop(t)
			s.inSlack(t.Context(), t, slack)
			root := ann.Say(room, "", slacktest.Mention()+" Where is the boat moored?")
			if err := slack.Wait(t.Context(), "the answer", func() bool {
				a := slack.Answers(room, root)
				return len(a) == 1 && !a[0].Streaming && strings.Contains(a[0].Shown(), "north pier")
			}); err != nil {
				t.Errorf("%v\n%s", err, s.log)
			}
		})
	}
}
