package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
)

type peopleImport struct {
	File    string `arg:"" name:"file" help:"A CSV file with a header; - is standard input. The column person holds a native id, or an address that the source vouches for; empty, the account has no person there. The column account holds slack:ID, slack:ADDRESS or discord:ID."`
	Replace bool   `name:"replace" help:"Forget what was imported before and does not stand in the file."`
}

// maxMapping is in bytes and far above what any organisation needs.
const maxMapping = 64 << 20

// Run executes "footnote people import".
func (c *peopleImport) Run(ctx context.Context, env *environment) error {
	text, err := c.read(env)
	if err != nil {
		return err
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		store := pgaccess.New(base.DB)
		sources, err := base.StoredSources(ctx)
		if err != nil {
			return err
		}
		known, err := store.Known(ctx, base.Tenant)
		if err != nil {
			return err
		}
		m := &mapping{
			file: c.File, source: func(name string) (document.SourceID, error) {
				s, err := findSource(base, sources, name)
				return s.ID, err
			}, known: known,
			forgotten: func(a access.Account) (bool, error) { return store.Forgotten(ctx, base.Tenant, a) },
		}
		if err := m.read(strings.NewReader(text)); err != nil {
			return usageError(err.Error())
		}
		if err := store.Say(ctx, base.Tenant, m.said, c.Replace, operator()); err != nil {
			return err
		}
		_, err = fmt.Fprintf(env.out, "%s %s known now. It counts at once; footnote people shows what follows.\n", plural.Count(len(m.said), "account"), plural.Are(len(m.said)))
		return err
	})
}

func (c *peopleImport) read(env *environment) (string, error) {
	file := io.ReadCloser(env.stdin)
	if c.File != "-" {
		opened, err := os.Open(c.File)
		if err != nil {
			return "", usageError("the file cannot be read: " + err.Error())
		}
		file = opened
	}
	text, err := io.ReadAll(io.LimitReader(file, maxMapping+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("read %s: %w", c.File, err)
	}
	if len(text) > maxMapping {
		return "", usageError(c.File + " has more than 64 MB: it is probably another file")
	}
	return strings.TrimPrefix(string(text), "\ufeff"), nil // spreadsheets write a byte order mark
}

// mapping reads a CSV file that maps people in sources to chat accounts. It collects all faults.
type mapping struct {
	file      string
	source    func(name string) (document.SourceID, error)
	known     pgaccess.Known
	forgotten func(access.Account) (bool, error)

	said   []pgaccess.Identity
	faults []string
	lines  map[string]int // line of an account or a person of a source
}

const mostFaults = 50

func (m *mapping) fault(line int, format string, args ...any) {
	m.faults = append(m.faults, fmt.Sprintf("%s:%d: %s", m.file, line, fmt.Sprintf(format, args...)))
}

func (m *mapping) read(text io.Reader) error {
	m.lines = make(map[string]int)
	r := csv.NewReader(text)
	r.TrimLeadingSpace = true
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("%s has no header: the first line is source,person,account", m.file)
	}
	var at [3]int
	for i, name := range []string{"source", "person", "account"} {
		at[i] = slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), name) })
		if at[i] < 0 {
			return fmt.Errorf("%s:1: the column %s is missing: the first line is source,person,account", m.file, name)
		}
	}
	for len(m.faults) < mostFaults {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var wrong *csv.ParseError
			if errors.As(err, &wrong) {
				m.fault(wrong.Line, "%v", wrong.Err)
				if errors.Is(err, csv.ErrFieldCount) {
					continue
				}
			} else {
				m.fault(0, "%v", err)
			}
			break
		}
		line, _ := r.FieldPos(0)
		if err := m.row(line, strings.TrimSpace(row[at[0]]), strings.TrimSpace(row[at[1]]), strings.TrimSpace(row[at[2]])); err != nil {
			return err
		}
	}
	if len(m.faults) > 0 {
		return errors.New("nothing was imported:\n" + strings.Join(m.faults, "\n"))
	}
	return nil
}

// row collects faults of the file and returns any other error.
func (m *mapping) row(line int, source, person, account string) error {
	id, err := m.source(source)
	if err != nil {
		m.fault(line, "%v", err)
		return nil
	}
	who, err := findAccount(m.known.Accounts, account)
	if err != nil {
		m.fault(line, "%v", err)
		return nil
	}
	if person != "" {
		if person, err = findPerson(m.known.People[id], person); err != nil {
			m.fault(line, "%s: %v", source, err)
			return nil
		}
		key := fmt.Sprint("person ", id, " ", who.Workspace, " ", person)
		if before := m.lines[key]; before > 0 {
			m.fault(line, "%s of %s is another account in line %d already: one account of a workspace is one person", person, source, before)
		}
		m.lines[key] = line
	}
	key := fmt.Sprint("account ", id, " ", who.Workspace, " ", who.ID)
	if before := m.lines[key]; before > 0 {
		m.fault(line, "%s stands in line %d for %s already: keep one", account, before, source)
	}
	m.lines[key] = line
	gone, err := m.forgotten(who)
	if err != nil {
		return err
	}
	if gone {
		m.fault(line, "%s was forgotten at that person's wish (/footnote forget-me): leave the line out, or, if the person wants it, run footnote people relink %s", account, account)
	}
	m.said = append(m.said, pgaccess.Identity{Source: id, Person: person, Account: who})
	return nil
}

// findPerson accepts a native id, or an e-mail address that the source has confirmed.
func findPerson(people []index.Person, person string) (string, error) {
	var found []string
	for _, p := range people {
		if p.ID == person {
			return p.ID, nil
		}
		if slices.Contains(p.Emails, strings.ToLower(person)) {
			found = append(found, p.ID)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("several people have %s: write an id: %s", person, strings.Join(found, ", "))
	case len(people) == 0:
		return "", errors.New("nothing was read of its people yet: they are read with its groups, by footnote serve or footnote index")
	default:
		return "", fmt.Errorf("there is no person %s: write a native id, as footnote people lists them, or an address that the source vouches for", person)
	}
}

var discordUser = regexp.MustCompile(`^[0-9]{5,20}$`)

// findAccount accepts "slack:ID", "slack:ADDRESS" or "discord:ID". Slack accounts must be known;
// Discord accounts are not looked up.
func findAccount(accounts []access.Account, text string) (access.Account, error) {
	platform, id, _ := strings.Cut(text, ":")
	if platform == "discord" && discordUser.MatchString(id) {
		return access.Account{Workspace: access.Workspace{Platform: platform}, ID: id}, nil
	}
	if platform != "slack" || id == "" {
		return access.Account{}, fmt.Errorf("%q is no account: write slack:ID, slack:ADDRESS or discord:ID", text)
	}
	workspace, user, several := strings.Cut(id, ":")
	if !several {
		workspace, user = "", id
	}
	var found []access.Account
	for _, a := range accounts {
		if a.Platform == platform && (workspace == "" || a.Workspace.ID == workspace) && (a.ID == user || a.Email != "" && a.Email == strings.ToLower(user)) {
			found = append(found, a)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return access.Account{}, fmt.Errorf("several accounts are %s: write slack:WORKSPACE:ID", text)
	default:
		return access.Account{}, fmt.Errorf("the account %s is not known: people of Slack are listed while footnote serve runs; write slack:ID with the id from their profile", text)
	}
}
