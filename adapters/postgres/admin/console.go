package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// Console stores who may sign in to the web console, with their sign-in links and sessions. It
// records changes in the audit trail. It is safe for concurrent use by any number of processes.
type Console struct{ db *postgres.DB }

var _ review.Sessions = (*Console)(nil)

// NewConsole returns the Console stored in db.
func NewConsole(db *postgres.DB) *Console { return &Console{db} }

// Granted is a person who may sign in to the console.
type Granted struct {
	Person   access.Account
	Role     review.Role
	By       string
	At       time.Time
	Sessions int       // number of valid sessions
	Used     time.Time // when a session was used last; zero if none was
	// Connected lists the identity providers whose accounts sign in as the person.
	Connected []string
}

// Grant gives a person a role and replaces an earlier role. The argument by names the operating
// system account that grants the role.
func (c *Console) Grant(ctx context.Context, tenant access.TenantID, p access.Account, role review.Role, by string) error {
	err := c.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		const grant = `
			insert into console_role as r (tenant_id, platform, workspace, person, role, granted_by) values ($1, $2, $3, $4, $5, $6)
			on conflict (tenant_id, platform, workspace, person) do update set role = excluded.role, granted_by = excluded.granted_by, granted_at = clock_timestamp()
			where r.role <> excluded.role`
		tag, err := tx.Exec(ctx, grant, tenant, p.Platform, p.Workspace.ID, postgres.Storable(p.ID), role, postgres.Storable(by))
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		return audit.Write(ctx, tx, tenant, consoleEntry(session.ConsoleGranted, p, session.Actor{Platform: session.Host, ID: by}, map[string]string{"role": string(role)}))
	})
	if err != nil {
		return fmt.Errorf("give a role in the console: %w", err)
	}
	return nil
}

// Granted lists the people who may sign in to the console.
func (c *Console) Granted(ctx context.Context, tenant access.TenantID) ([]Granted, error) {
	type row struct {
		Platform, Workspace, Person, Role, By string
		At                                    time.Time
		Sessions                              int
		Used                                  *time.Time
		Connected                             []string
	}
	rows, err := postgres.QueryAll[row](ctx, c.db.Pool, `
		select r.platform, r.workspace, r.person, r.role, r.granted_by, r.granted_at, count(s.id)::int, max(s.used_at),
			array(select issuer from console_identity i where i.tenant_id = r.tenant_id and i.platform = r.platform and i.workspace = r.workspace
				and i.person = r.person order by issuer) from console_role r
		left join console_session s on s.tenant_id = r.tenant_id and s.platform = r.platform and s.workspace = r.workspace and s.person = r.person
			and s.expires_at > clock_timestamp()
		where r.tenant_id = $1 group by r.tenant_id, 1, 2, 3, 4, 5, 6 order by 6, 3`, tenant)
	if err != nil {
		return nil, fmt.Errorf("list who may sign in: %w", err)
	}
	all := make([]Granted, len(rows))
	for i, r := range rows {
		all[i] = Granted{Person: account(r.Platform, r.Workspace, r.Person), Role: review.Role(r.Role), By: r.By, At: r.At.UTC(), Sessions: r.Sessions, Connected: r.Connected}
		if r.Used != nil {
			all[i].Used = r.Used.UTC()
		}
	}
	return all, nil
}

func account(platform, workspace, id string) access.Account {
	return access.Account{Workspace: access.Workspace{Platform: platform, ID: workspace}, ID: id}
}

// Remove revokes a person's role, and deletes the person's links and sessions. It reports whether
// the person had a role.
func (c *Console) Remove(ctx context.Context, tenant access.TenantID, p access.Account, by string) (was bool, err error) {
	return c.end(ctx, tenant, p, by, session.ConsoleRemoved, `delete from console_role where tenant_id = $1 and platform = $2 and workspace = $3 and person = $4`)
}

// SignOutAll deletes a person's links and sessions, and disconnects the person's accounts at
// identity providers. The person keeps the role. SignOutAll reports whether it deleted anything.
func (c *Console) SignOutAll(ctx context.Context, tenant access.TenantID, p access.Account, by string) (was bool, err error) {
	return c.end(ctx, tenant, p, by, session.ConsoleSignedOut,
		`delete from console_link where tenant_id = $1 and platform = $2 and workspace = $3 and person = $4`,
		`delete from console_session where tenant_id = $1 and platform = $2 and workspace = $3 and person = $4`,
		`delete from console_identity where tenant_id = $1 and platform = $2 and workspace = $3 and person = $4`)
}

func (c *Console) end(ctx context.Context, tenant access.TenantID, p access.Account, by string, deed session.Deed, statements ...string) (was bool, err error) {
	err = c.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		for _, statement := range statements {
			tag, err := tx.Exec(ctx, statement, tenant, p.Platform, p.Workspace.ID, p.ID)
			if err != nil {
				return err
			}
			was = was || tag.RowsAffected() > 0
		}
		if !was {
			return nil
		}
		return audit.Write(ctx, tx, tenant, consoleEntry(deed, p, session.Actor{Platform: session.Host, ID: by}, nil))
	})
	if err != nil {
		return false, fmt.Errorf("end a person's sessions: %w", err)
	}
	return was, nil
}

// NewLink stores a sign-in link for a person who has a role. It also deletes expired links and
// sessions.
func (c *Console) NewLink(ctx context.Context, tenant access.TenantID, p access.Account, link review.Hash, lifetime time.Duration, by string) error {
	err := c.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		for _, old := range []string{`delete from console_link where expires_at < clock_timestamp()`, `delete from console_session where expires_at < clock_timestamp()`} {
			if _, err := tx.Exec(ctx, old); err != nil {
				return err
			}
		}
		const add = `
			insert into console_link (tenant_id, hash, platform, workspace, person, expires_at)
			values ($1, $2, $3, $4, $5, clock_timestamp() + $6::bigint * interval '1 second')`
		if _, err := tx.Exec(ctx, add, tenant, link[:], p.Platform, p.Workspace.ID, p.ID, int64(lifetime/time.Second)); err != nil {
			return err
		}
		return audit.Write(ctx, tx, tenant, consoleEntry(session.ConsoleLinked, p, session.Actor{Platform: session.Host, ID: by}, nil))
	})
	if err != nil {
		return fmt.Errorf("store a link to sign in with: %w", err)
	}
	return nil
}

// consoleEntry returns an audit entry about a person's access to the console. details must not
// contain the person's name or id.
func consoleEntry(deed session.Deed, p access.Account, by session.Actor, details map[string]string) audit.Entry {
	return about(audit.Entry{Deed: deed, Who: by, At: thread.Ref{Platform: thread.Platform(p.Platform), Workspace: p.Workspace.ID}, Private: true, Details: details}, p)
}

// about adds the person whom an entry is about, unless the person is its actor.
func about(e audit.Entry, p access.Account) audit.Entry {
	if person := review.ActorOf(p); person != e.Who {
		e.For = person
	}
	return e
}

// Link implements review.Sessions.
func (c *Console) Link(ctx context.Context, tenant access.TenantID, link review.Hash) (review.SignedIn, error) {
	return c.find(ctx, c.db.Pool, review.ErrLink, `
		select '', r.platform, r.workspace, r.person, r.role, l.expires_at from console_link l join console_role r using (tenant_id, platform, workspace, person)
		where l.tenant_id = $1 and l.hash = $2 and l.expires_at > clock_timestamp()`, tenant, link[:])
}

// SignIn implements review.Sessions. It deletes the link's row, so only one of several concurrent
// calls succeeds.
func (c *Console) SignIn(ctx context.Context, tenant access.TenantID, link, to review.Hash, id string) (review.SignedIn, error) {
	return c.begin(ctx, tenant, id, review.ErrLink, `
		with spent as (delete from console_link where tenant_id = $1 and hash = $2 and expires_at > clock_timestamp() returning *),
		begun as (
			insert into console_session (tenant_id, hash, id, platform, workspace, person, expires_at)
			select tenant_id, $3, $4, platform, workspace, person, clock_timestamp() + $5::bigint * interval '1 second' from spent returning *)
		select b.id, r.platform, r.workspace, r.person, r.role, b.expires_at from begun b join console_role r using (tenant_id, platform, workspace, person)`,
		tenant, link[:], to[:], id, int64(review.SessionLifetime/time.Second))
}

// begin runs a statement that creates a session, and records the sign-in. id is the id of the
// session. If the statement returns no row, begin returns the error none.
func (c *Console) begin(ctx context.Context, tenant access.TenantID, id string, none error, statement string, args ...any) (in review.SignedIn, err error) {
	err = c.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if in, err = c.find(ctx, tx, none, statement, args...); err != nil {
			return err
		}
		return audit.Write(ctx, tx, tenant, consoleEntry(session.ConsoleSignedIn, in.Person, review.ActorOf(in.Person), map[string]string{"session": id}))
	})
	if err != nil {
		return review.SignedIn{}, fmt.Errorf("sign in: %w", err)
	}
	return in, nil
}

// Connect implements review.Sessions.
func (c *Console) Connect(ctx context.Context, tenant access.TenantID, of review.Hash, i review.Identity) error {
	err := c.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		in, err := c.find(ctx, tx, review.ErrSession, sessionSQL, tenant, of[:])
		if err != nil {
			return err
		}
		p := in.Person
		const others = `delete from console_identity where tenant_id = $1 and platform = $2 and workspace = $3 and person = $4 and issuer = $5 and subject <> $6`
		if _, err := tx.Exec(ctx, others, tenant, p.Platform, p.Workspace.ID, p.ID, postgres.Storable(i.Issuer), postgres.Storable(i.Subject)); err != nil {
			return err
		}
		const connect = `
			insert into console_identity as c (tenant_id, issuer, subject, platform, workspace, person) values ($1, $2, $3, $4, $5, $6)
			on conflict (tenant_id, issuer, subject) do update set created_at = clock_timestamp()
			where c.platform = excluded.platform and c.workspace = excluded.workspace and c.person = excluded.person`
		tag, err := tx.Exec(ctx, connect, tenant, postgres.Storable(i.Issuer), postgres.Storable(i.Subject), p.Platform, p.Workspace.ID, p.ID)
		if err == nil && tag.RowsAffected() == 0 {
			err = review.ErrIdentity
		}
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, tenant, consoleEntry(session.ConsoleConnected, p, review.ActorOf(p), nil))
	})
	if err != nil {
		return fmt.Errorf("connect an identity: %w", err)
	}
	return nil
}

// SignInAs implements review.Sessions.
func (c *Console) SignInAs(ctx context.Context, tenant access.TenantID, i review.Identity, to review.Hash, id string) (review.SignedIn, error) {
	return c.begin(ctx, tenant, id, review.ErrIdentity, `
		with known as (select * from console_identity where tenant_id = $1 and issuer = $6 and subject = $2),
		begun as (
			insert into console_session (tenant_id, hash, id, platform, workspace, person, expires_at)
			select tenant_id, $3, $4, platform, workspace, person, clock_timestamp() + $5::bigint * interval '1 second' from known returning *)
		select b.id, r.platform, r.workspace, r.person, r.role, b.expires_at from begun b join console_role r using (tenant_id, platform, workspace, person)`,
		tenant, postgres.Storable(i.Subject), to[:], id, int64(review.SessionLifetime/time.Second), postgres.Storable(i.Issuer))
}

// SignInPerson implements review.Sessions.
func (c *Console) SignInPerson(ctx context.Context, tenant access.TenantID, person access.Account, to review.Hash, id string) (review.SignedIn, error) {
	return c.begin(ctx, tenant, id, review.ErrIdentity, `
		with begun as (
			insert into console_session (tenant_id, hash, id, platform, workspace, person, expires_at)
			select tenant_id, $3, $4, platform, workspace, person, clock_timestamp() + $5::bigint * interval '1 second' from console_role
			where tenant_id = $1 and platform = $2 and workspace = $6 and person = $7 returning *)
		select b.id, r.platform, r.workspace, r.person, r.role, b.expires_at from begun b join console_role r using (tenant_id, platform, workspace, person)`,
		tenant, person.Platform, to[:], id, int64(review.SessionLifetime/time.Second), postgres.Storable(person.Workspace.ID), postgres.Storable(person.ID))
}

const sessionSQL = `
	select s.id, r.platform, r.workspace, r.person, r.role, s.expires_at from console_session s join console_role r using (tenant_id, platform, workspace, person)
	where s.tenant_id = $1 and s.hash = $2 and s.expires_at > clock_timestamp()`

// Session implements review.Sessions.
func (c *Console) Session(ctx context.Context, tenant access.TenantID, of review.Hash) (review.SignedIn, error) {
	in, err := c.find(ctx, c.db.Pool, review.ErrSession, sessionSQL, tenant, of[:])
	if err != nil {
		return in, err
	}
	const used = `
		update console_session set used_at = clock_timestamp()
		where tenant_id = $1 and hash = $2 and (used_at is null or used_at < clock_timestamp() - interval '1 minute')`
	if _, err := c.db.Pool.Exec(ctx, used, tenant, of[:]); err != nil {
		return review.SignedIn{}, fmt.Errorf("note that a session is used: %w", err)
	}
	return in, nil
}

// find returns the person and session that a query selects. It returns the error none if the query
// returns no row.
func (c *Console) find(ctx context.Context, q postgres.Executor, none error, query string, args ...any) (review.SignedIn, error) {
	var in review.SignedIn
	err := q.QueryRow(ctx, query, args...).Scan(&in.Session, &in.Person.Platform, &in.Person.Workspace.ID, &in.Person.ID, &in.Role, &in.Expires)
	if errors.Is(err, pgx.ErrNoRows) {
		return review.SignedIn{}, none
	}
	if err != nil {
		return review.SignedIn{}, fmt.Errorf("look up who is signed in: %w", err)
	}
	in.Expires = in.Expires.UTC()
	return in, nil
}

// Reveal lets a person see another person's question for a limited time. It records the reason in
// the audit trail.
func (c *Console) Reveal(ctx context.Context, tenant access.TenantID, p access.Account, r review.Reveal) error {
	err := c.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		const reveal = `
			insert into console_reveal (tenant_id, turn_id, platform, workspace, person, reason, expires_at)
			values ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7::bigint * interval '1 second')
			on conflict (tenant_id, platform, workspace, person, turn_id) do update
			set reason = excluded.reason, created_at = clock_timestamp(), expires_at = excluded.expires_at`
		batch := new(pgx.Batch)
		batch.Queue(`delete from console_reveal where expires_at < clock_timestamp()`)
		batch.Queue(reveal, tenant, r.Turn.ID, p.Platform, p.Workspace.ID, p.ID, postgres.Storable(r.Reason), int64(review.RevealLifetime/time.Second))
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		e := consoleEntry(session.ConsoleRevealed, p, review.ActorOf(p), map[string]string{"reason": r.Reason})
		e.Turn = string(r.Turn.ID)
		return audit.Write(ctx, tx, tenant, e)
	})
	if err != nil {
		return fmt.Errorf("reveal a question: %w", err)
	}
	return nil
}

// Revealed lists the questions that a person may currently see because of Reveal.
func (c *Console) Revealed(ctx context.Context, tenant access.TenantID, p access.Account) ([]session.TurnID, error) {
	rows, err := postgres.QueryAll[struct{ ID string }](ctx, c.db.Pool, `
		select turn_id::text from console_reveal
		where tenant_id = $1 and platform = $2 and workspace = $3 and person = $4 and expires_at > clock_timestamp()`, tenant, p.Platform, p.Workspace.ID, p.ID)
	if err != nil {
		return nil, fmt.Errorf("list revealed questions: %w", err)
	}
	ids := make([]session.TurnID, len(rows))
	for i, r := range rows {
		ids[i] = session.TurnID(r.ID)
	}
	return ids, nil
}

// SignOut implements review.Sessions.
func (c *Console) SignOut(ctx context.Context, tenant access.TenantID, of review.Hash) error {
	err := c.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		var p access.Account
		err := tx.QueryRow(ctx, `delete from console_session where tenant_id = $1 and hash = $2 returning platform, workspace, person`, tenant, of[:]).
			Scan(&p.Platform, &p.Workspace.ID, &p.ID)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return audit.Write(ctx, tx, tenant, consoleEntry(session.ConsoleSignedOut, p, review.ActorOf(p), nil))
	})
	if err != nil {
		return fmt.Errorf("sign out: %w", err)
	}
	return nil
}
