// Package atlassiantest contains code that the fakes of Atlassian's products share.
package atlassiantest

import (
	"net/http"
	"testing"

	"github.com/footnotehq/footnote/core/index"
)

// Credential reports whether a request has the right credential. For Cloud, that is an account's
// e-mail address and API token. For Data Center, it is a personal access token. anonymous is true
// if the request has no credential.
func Credential(r *http.Request, cloud bool, email, token string) (right, anonymous bool) {
	said := r.Header.Get("Authorization")
	if !cloud {
		return said == "Bearer "+token, said == ""
	}
	name, password, basic := r.BasicAuth()
	return basic && name == email && password == token, said == ""
}

// Deployments runs a test as two parallel subtests, one for Cloud and one for Data Center.
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

// Pass is a function that runs a connector once, beginning at a checkpoint. It returns the number
// of requests, and the number of items that the connector yielded.
type Pass func(at index.Checkpoint) (requests, items int)

// Benchmark measures four runs of a connector, for Cloud and for Data Center. The runs are a first
// run, a run without changes, a run an hour later, and a run that reads only permissions. site
// returns them in this order.
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
