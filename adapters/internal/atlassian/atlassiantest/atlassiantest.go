// Package atlassiantest contains code that the fakes of Atlassian's products share.
package atlassiantest

import (
	"net/http"
	"testing"

	"github.com/footnotehq/footnote/core/index"
)

// Credential reports whether a request has the accepted credential: an account's address and API
// token on Cloud, a personal access token on a Data Center. anonymous is true if the request has
// none.
func Credential(r *http.Request, cloud bool, email, token string) (right, anonymous bool) {
	said := r.Header.Get("Authorization")
	if !cloud {
		return said == "Bearer "+token, said == ""
	}
	name, password, basic := r.BasicAuth()
	return basic && name == email && password == token, said == ""
}

// Deployments runs a test for both deployments.
func Deployments(t *testing.T, test func(t *testing.T, cloud bool)) {
	t.Helper()
	t.Parallel()
	for name, cloud := range map[string]bool{"cloud": true, "data center": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, cloud)
		})
	}
}

// Pass is a pass over a large site. It returns its numbers of requests and items.
type Pass func(at index.Checkpoint) (requests, items int)

// Benchmark measures four passes for both deployments: a first pass with texts, one without
// changes, one an hour later, and one over permissions.
func Benchmark(b *testing.B, site func(cloud bool) (at index.Checkpoint, first, quiet, later, readers Pass)) {
	for name, cloud := range map[string]bool{"cloud": true, "data center": false} {
		at, first, quiet, later, readers := site(cloud)
		for _, measured := range []struct {
			what string
			pass Pass
		}{{"first pass", first}, {"pass without changes", quiet}, {"pass an hour later", later}, {"who may read", readers}} {
			b.Run(name+"/"+measured.what, func(b *testing.B) {
				var requests, items int
				for b.Loop() {
					requests, items = measured.pass(at)
				}
				b.ReportMetric(float64(requests), "requests")
				b.ReportMetric(float64(items), "yielded")
			})
		}
	}
}
