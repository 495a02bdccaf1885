package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/sources"
)

// approvalKeyFile is the file in the data folder that holds a key for approvals of sources. If
// SECRET_KEYS is set, this key only verifies approvals.
const approvalKeyFile = "source.key"

// approver provides the keys that sign and verify the stored options of sources.
type approver struct {
	dir  string          // data folder; empty: there is none, for example without a home folder
	said []config.Secret // SECRET_KEYS
}

func newApprover(cfg *config.Config) approver {
	return approver{dataDir(cfg), cfg.SecretKeys}
}

// keys returns the valid keys; there may be none. The first key signs new approvals.
func (a approver) keys() ([][]byte, error) {
	var keys [][]byte
	for _, secret := range a.said {
		key, err := sources.DeriveKey(secret.Reveal())
		if err != nil {
			return nil, err
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
	key, err := sources.ParseKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: restore it from a backup, or remove it and run footnote sources approve", file)
	}
	return append(keys, key), nil
}

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

func (a approver) fresh() bool {
	_, err := os.Stat(filepath.Join(a.dir, approvalKeyFile))
	return a.dir != "" && errors.Is(err, fs.ErrNotExist)
}

// create keeps a key that another process has written in the meantime.
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
	key, err := sources.NewKey()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	_, err = file.WriteString(key)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	// Link fails if another process has written a key, which then applies.
	err = os.Link(file.Name(), filepath.Join(a.dir, approvalKeyFile))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func approval(key []byte, tenant access.TenantID, source document.Source, o options) (string, error) {
	row, err := canonical(tenant, source, o)
	if err != nil {
		return "", err
	}
	return sources.Approve(key, row), nil
}

// canonical returns the text that an approval signs. It covers everything that decides what is
// read, where a credential is sent, and who may read the source.
func canonical(tenant access.TenantID, source document.Source, o options) ([]byte, error) {
	o.Approval = ""
	text, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("approve source %s: %w", source.ID, err)
	}
	var stored options // fields that JSON omits do not count
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("approve source %s: %w", source.ID, err)
	}
	text, err = json.Marshal(struct {
		Form    int
		Tenant  access.TenantID
		Source  document.Source
		Options options
	}{1, tenant, source, stored})
	if err != nil {
		return nil, fmt.Errorf("approve source %s: %w", source.ID, err)
	}
	return text, nil
}

// declared returns the configuration file's entry for a stored source, below sources: or in a
// project. The entry overrides the stored options.
func (b *Base) declared(of document.Source) (config.Source, bool) {
	if b.Tenant != access.DefaultTenant { // the file is for the default tenant
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

// leftover reports whether a stored source that is not in the file can only be a file of a project:
// projects store no options.
func leftover(of document.Source, row options) bool {
	return of.Kind == files.Kind && reflect.ValueOf(row).IsZero()
}

// entry looks only below sources: in the file. An entry with the same name and another address is a
// different source.
func (b *Base) entry(of document.Source) (config.Source, bool) {
	for _, s := range b.File().Sources {
		if source, err := KindOf(s).source(s); err == nil && source.ID == of.ID && source.Kind == of.Kind {
			return s, true
		}
	}
	return config.Source{}, false
}

// adopt approves sources that an earlier version stored without approval. It does so only if there
// is no key yet. The server must be private, so that only the owner of the data folder can reach
// it.
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

// Row returns the stored options of the source as JSON, without the approval.
func (s StoredSource) Row() string {
	o := s.row
	o.Approval = ""
	text, err := json.Marshal(o)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// ApproveSource approves a stored source with its current options.
func (b *Base) ApproveSource(ctx context.Context, s StoredSource) error {
	if _, err := b.approver.signing(); err != nil {
		return err
	}
	return b.keepOptions(ctx, s.origin, s.row)
}
