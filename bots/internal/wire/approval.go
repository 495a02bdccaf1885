package wire

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// A person who can write to the database can write rows of sources. A row says which folder is
// read, and where a credential is sent. So a row counts only if footnote.yaml declares its source,
// or if the row has an approval: a MAC with a key that the database does not hold.

// approvalKeyFile is the file in the data folder that holds the key for approving rows. It is used
// where SECRET_KEYS is not set.
const approvalKeyFile = "source.key"

const approvalKeySize = 32

// approver makes and checks approvals.
type approver struct {
	dir  string          // of approvalKeyFile; empty: there is none, such as without a home folder
	said []config.Secret // SECRET_KEYS
}

func newApprover(cfg *config.Config) approver {
	return approver{dataDir(cfg), cfg.SecretKeys}
}

// keys returns the keys whose approvals count; the first one makes new approvals. There may be
// none.
func (a approver) keys() ([][]byte, error) {
	var keys [][]byte
	for _, secret := range a.said {
		key, err := hkdf.Key(sha256.New, []byte(secret.Reveal()), nil, "footnote source approval", approvalKeySize)
		if err != nil {
			return nil, fmt.Errorf("derive the key that approves sources: %w", err)
		}
		keys = append(keys, key)
	}
	if a.dir == "" {
		return keys, nil
	}
	file := filepath.Join(a.dir, approvalKeyFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || err != nil && len(keys) > 0 {
		return keys, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the key that approves sources: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != approvalKeySize {
		return nil, fmt.Errorf("%s is damaged: restore it from a backup, or remove it and run footnote sources approve", file)
	}
	return append(keys, key), nil
}

// signing returns the key that makes approvals. It creates the data folder's key if there is none.
func (a approver) signing() ([]byte, error) {
	keys, err := a.keys()
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		if err := a.create(); err != nil {
			return nil, fmt.Errorf("create the key that approves sources: %w", err)
		}
		if keys, err = a.keys(); err != nil {
			return nil, err
		}
	}
	return keys[0], nil
}

// fresh reports whether the data folder has no key yet.
func (a approver) fresh() bool {
	_, err := os.Stat(filepath.Join(a.dir, approvalKeyFile))
	return a.dir != "" && errors.Is(err, fs.ErrNotExist)
}

// create writes a key, unless another process has written one in the meantime.
func (a approver) create() (err error) {
	if a.dir == "" {
		return errors.New("there is no data folder")
	}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(a.dir, approvalKeyFile+".*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	key := make([]byte, approvalKeySize)
	if _, err := rand.Read(key); err != nil {
		return errors.Join(err, file.Close())
	}
	_, err = file.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	// fails where the other one exists, which then counts
	err = os.Link(file.Name(), filepath.Join(a.dir, approvalKeyFile))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// approval returns the MAC of a row. It covers everything that decides what is read, where a
// credential is sent, and who may read the source. It covers the decoded options, so it covers
// every option that is used.
func approval(key []byte, tenant access.TenantID, source document.Source, o options) (string, error) {
	o.Approval = ""
	text, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("approve source %s: %w", source.ID, err)
	}
	var stored options // fields that JSON omits do not count
	if err := json.Unmarshal(text, &stored); err != nil {
		return "", fmt.Errorf("approve source %s: %w", source.ID, err)
	}
	text, err = json.Marshal(struct {
		Form    int
		Tenant  access.TenantID
		Source  document.Source
		Options options
	}{1, tenant, source, stored})
	if err != nil {
		return "", fmt.Errorf("approve source %s: %w", source.ID, err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// approvedBy returns the index of the key that approved a row, or -1 for none.
func approvedBy(keys [][]byte, tenant access.TenantID, source document.Source, o options) (int, error) {
	given, err := hex.DecodeString(o.Approval)
	if err != nil || len(given) == 0 {
		return -1, nil //nolint:nilerr // an invalid approval approves nothing
	}
	for i, key := range keys {
		text, err := approval(key, tenant, source, o)
		if err != nil {
			return -1, err
		}
		want, err := hex.DecodeString(text)
		if err != nil {
			return -1, err
		}
		if hmac.Equal(given, want) {
			return i, nil
		}
	}
	return -1, nil
}

// declared returns the entry of the configuration file that a row belongs to. The entry overrides
// the row.
func (b *Base) declared(of document.Source) (config.Source, bool) {
	if b.Tenant != access.DefaultTenant { // of which the file is
		return config.Source{}, false
	}
	if s, ok := b.entry(of); ok {
		return s, true
	}
	for _, p := range b.File().Projects {
		for _, f := range p.Files {
			if source, err := files.SourceOf(f.Path); err == nil && source == of {
				return config.Source{Name: f.Path, Path: f.Path, BaseURL: f.BaseURL, ACL: f.ACL}, true
			}
		}
	}
	return config.Source{}, false
}

// entry returns the entry below sources: that reads a source. An entry with a changed address reads
// another source under the same name.
func (b *Base) entry(of document.Source) (config.Source, bool) {
	for _, s := range b.File().Sources {
		if source, err := KindOf(s).source(s); err == nil && source.ID == of.ID && source.Kind == of.Kind {
			return s, true
		}
	}
	return config.Source{}, false
}

// adopt approves the rows of a private server when there is no key yet. An earlier version wrote
// those rows, and only the owner of the data folder can reach that server.
func (b *Base) adopt(ctx context.Context) error {
	if !b.approver.fresh() {
		return nil
	}
	stored, err := b.StoredSources(ctx)
	if err != nil {
		return err
	}
	if err := b.approver.create(); err != nil {
		return fmt.Errorf("create the key that approves sources: %w", err)
	}
	for _, s := range stored {
		if err := b.keepOptions(ctx, s.origin, s.row); err != nil {
			return err
		}
	}
	return nil
}

// unapproved returns a sentence that says what to do about a row without an approval.
func unapproved(id document.SourceID, o options) string {
	does := "it would be read by hand"
	if o.Every != "" {
		does = "it would be read every " + o.Every
	}
	return fmt.Sprintf("this source is not approved: an earlier version, another machine, or a stranger with the database's password wrote it; %s, for %s. "+
		"Nothing is read or sent for it. If it is yours, run footnote sources approve %s, or write it under sources: in %s; else run footnote sources remove %s",
		does, readersOf(o), id, config.FileName, id)
}

// unapprovedOptions returns a sentence that says what to do about options without an approval.
func unapprovedOptions(id document.SourceID, o options) string {
	return fmt.Sprintf("the database holds options of the source %s that are not approved, for %s. Say them now, as flags or in %s, "+
		"or take them over with footnote sources approve %s", id, readersOf(o), config.FileName, id)
}

func readersOf(o options) string {
	if len(o.ACL) == 0 {
		return string(access.Members)
	}
	names := make([]string, len(o.ACL))
	for i, p := range o.ACL {
		names[i] = string(p)
	}
	return strings.Join(names, ", ")
}

// Row returns the options that the database holds for the source, as JSON.
func (s StoredSource) Row() string {
	o := s.row
	o.Approval = ""
	text, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// ApproveSource approves a stored source with its present row.
func (b *Base) ApproveSource(ctx context.Context, s StoredSource) error {
	if _, err := b.approver.signing(); err != nil {
		return err
	}
	return b.keepOptions(ctx, s.origin, s.row)
}
