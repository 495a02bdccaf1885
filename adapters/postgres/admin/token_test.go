package admin_test

import (
	"errors"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/session"
)

func TestTokensAreStoredAsHashesAndForgotten(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	tokens := admin.NewTokens(db)
	host := session.Actor{Platform: session.Host, ID: "operator"}
	ada := access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "UADA"}
	var secrets, ids []string
	for range 2 {
		secret, id := mcp.NewSecret()
		expires, err := tokens.Create(t.Context(), access.DefaultTenant, mcp.Token{ID: id, Name: "laptop\x00", Person: ada}, mcp.HashOf(secret), mcp.DefaultLifetime, host)
		if left := time.Until(expires); err != nil || left < mcp.DefaultLifetime-time.Hour || left > mcp.DefaultLifetime+time.Hour {
			t.Fatalf("Create() = %v, %v", expires, err)
		}
		secrets, ids = append(secrets, secret), append(ids, id)
	}
	var holds bool
	if err := db.Pool.QueryRow(t.Context(), `select exists (select from access_token t where t::text like '%' || $1 || '%')`, secrets[0]).Scan(&holds); err != nil || holds {
		t.Errorf("the table holds a secret: %t, %v", holds, err)
	}
	got, err := tokens.Find(t.Context(), access.DefaultTenant, mcp.HashOf(secrets[0]))
	if err != nil || got.ID != ids[0] || got.Person != ada || got.Invalid(time.Now()) != nil || !got.Used.IsZero() {
		t.Errorf("Find() = %+v, %v", got, err)
	}
	if _, err := tokens.Find(t.Context(), "other", mcp.HashOf(secrets[0])); !errors.Is(err, mcp.ErrUnknownToken) {
		t.Errorf("another tenant finds the token: %v", err)
	}
	call := mcp.Called{
		Who: session.Actor{Platform: "slack", ID: "UADA"}, At: session.Place{Platform: "slack", Workspace: "T1"}, Token: ids[0], Tool: "search", Outcome: mcp.Answered,
		Documents: []session.Shown{{Document: "d\x00", As: session.Read}},
	}
	if err := tokens.Called(t.Context(), access.DefaultTenant, call); err != nil {
		t.Fatal(err)
	}
	if got, err := tokens.Find(t.Context(), access.DefaultTenant, mcp.HashOf(secrets[0])); err != nil || got.Used.IsZero() {
		t.Errorf("the token was never used: %+v, %v", got, err)
	}
	for _, want := range []int{1, 0} {
		if ended, err := tokens.Revoke(t.Context(), access.DefaultTenant, []string{ids[1], "none"}, host); err != nil || len(ended) != want {
			t.Errorf("Revoke() = %v, %v", ended, err)
		}
	}
	if got, err := tokens.Find(t.Context(), access.DefaultTenant, mcp.HashOf(secrets[1])); err != nil || got.Invalid(time.Now()) == nil {
		t.Errorf("a revoked token: %+v, %v", got, err)
	}
	deeds := make(map[session.Deed]int)
	for e, err := range audit.NewReader(db).Trail(t.Context(), session.AuditQuery{Tenant: access.DefaultTenant}) {
		if err != nil {
			t.Fatal(err)
		}
		if (e.Deed == session.TokenCreated || e.Deed == session.TokenRevoked) && e.For != (session.Actor{Platform: "slack", ID: "UADA"}) {
			t.Errorf("the audit trail names no person: %+v", e)
		}
		if deeds[e.Deed]++; e.Deed == session.ToolCalled && (len(e.Documents) != 1 || e.Details["tool"] != "search" || e.Details["token"] != ids[0] || e.Who.ID != "UADA") {
			t.Errorf("the audit trail says %+v", e)
		}
	}
	if deeds[session.TokenCreated] != 2 || deeds[session.TokenRevoked] != 1 || deeds[session.ToolCalled] != 1 {
		t.Errorf("the audit trail has %v", deeds)
	}
	// A person of Discord has no workspace.
	ada.Workspace.ID = ""
	if _, err := tokens.Create(t.Context(), access.DefaultTenant, mcp.Token{ID: "nowhere", Person: ada}, mcp.HashOf("nowhere"), mcp.DefaultLifetime, host); err != nil {
		t.Fatal(err)
	}
	gone, err := pgsession.New(db).Forget(t.Context(), access.DefaultTenant, "slack", "UADA")
	if err != nil || gone.Tokens != 3 {
		t.Fatalf("%+v, %v", gone, err)
	}
	if left, err := tokens.List(t.Context(), access.DefaultTenant); err != nil || len(left) != 0 {
		t.Errorf("a forgotten person has %v, %v", left, err)
	}
}

func TestCountKeepsToQuotas(t *testing.T) {
	t.Parallel()
	store := pgsession.New(postgrestest.Open(t))
	quotas := []session.Quota{{Counter: "user:slack:T1::UADA", Limit: 2, Window: 24 * time.Hour}}
	for i := range 3 {
		until, err := store.Count(t.Context(), access.DefaultTenant, quotas)
		if err != nil || until.IsZero() != (i < 2) {
			t.Errorf("call %d: %v, %v", i+1, until, err)
		}
	}
}
