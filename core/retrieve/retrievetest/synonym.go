package retrievetest

import (
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	gocmp "github.com/google/go-cmp/cmp"
)

func testSynonyms(t *testing.T, s Store) {
	secret := One("secret", "Kubernetes", "the kubernetes of another tenant")
	secret.ACL = access.ACL{"group:dba"}
	docs := []Document{
		One("word", "", "upgrade the k8s nodes"), One("other", "", "upgrade the kubernetes nodes"), One("neither", "", "upgrade the printer driver"),
		One("phrase", "", "paid time off is twenty days"), One("half", "", "the server time is off by a second"), secret,
	}
	memory := NewMemory()
	must(t, memory.Put(t.Context(), access.DefaultTenant, docs...))
	must(t, s.Put(t.Context(), access.DefaultTenant, docs...))
	with := func(question string) retrieve.Request {
		r := Ask(question)
		r.Synonyms = analyse.NewSynonyms([][]string{{"k8s", "kubernetes"}, {"vacation", "paid time off"}})
		return r
	}
	want(t, "the word goes before its synonym", Found(t, s, with("k8s")), "word", "other")
	want(t, "the other way round", Found(t, s, with("kubernetes")), "other", "word")
	want(t, "without synonyms", Found(t, s, Ask("k8s")), "word")
	want(t, "a phrase", Found(t, s, with("vacation")), "phrase", "half")
	dba := with("k8s")
	dba.Audience = access.NewAudience(access.DefaultTenant, "group:dba")
	want(t, "another audience", Found(t, s, dba), "secret")
	for _, question := range []string{"k8s", "kubernetes", "upgrade k8s", "vacation", "how much paid time off", "printer", "nothing known here"} {
		same(t, with(question), s, memory)
	}
	got, _, err := s.Find(t.Context(), with("upgrade k8s"), nil)
	must(t, err)
	if diff := gocmp.Diff([]string{"k8s: kubernetes"}, got.Lists[0].Synonyms); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	for _, e := range got.Lists[0].Entries {
		if name := Names(t, s, Members(), []retrieve.Candidate{e})[e.Chunk]; name == "other" && e.Coverage != 1 {
			t.Errorf("a passage with the synonym covers %g of the question", e.Coverage)
		}
	}
}
