package wire

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
)

// projectFiles omits files that the audience may not read. Their names do not appear either.
func (b *Base) projectFiles(ctx context.Context, p config.Project, audience access.Audience) []message.File {
	var out []message.File
	for _, f := range p.Files {
		read, err := b.projectFile(ctx, f, audience)
		if err != nil && audience.MayRead(f.ACL) {
			out = append(out, failed(message.File{ID: fileID(f.Path), Name: filepath.Base(f.Path)}, err))
		}
		out = append(out, read...)
	}
	return out
}

// projectFile reads an entry of a project, which may be a folder. A document's own access list can
// restrict its readers further.
func (b *Base) projectFile(ctx context.Context, f config.ProjectFile, audience access.Audience) ([]message.File, error) {
	connector, err := b.projectConnector(f)
	if err != nil {
		return nil, err
	}
	documents, err := documentsOf(ctx, connector)
	if err != nil {
		return nil, err
	}
	var out []message.File
	for _, d := range documents {
		if !audience.MayRead(d.ACL) {
			continue
		}
		out = append(out, countTokens(b.Config, message.File{ID: message.FileID(d.ID), Name: d.Title, Text: d.Text(), Document: d.Ref, Metadata: d.Metadata}))
	}
	return out, nil
}

func (b *Base) projectConnector(f config.ProjectFile) (*files.Connector, error) {
	return files.New(files.Options{Path: f.Path, BaseURL: f.BaseURL, ACL: f.ACL, MaxBytes: b.Config.MaxDocumentBytes})
}

// indexProject makes a project's files searchable, in case they do not fit into a prompt. Answers
// that cite them can then be checked for who may read them. A file that cannot be indexed is only
// logged.
func (b *Base) indexProject(ctx context.Context, file *config.File, name string) error {
	p, ok := file.Project(name)
	if !ok {
		return fmt.Errorf("there is no project %q", name)
	}
	pipeline, err := b.Pipeline(ctx)
	if err != nil {
		return err
	}
	for _, f := range p.Files {
		connector, err := b.projectConnector(f)
		if err != nil {
			b.Logger.WarnContext(ctx, "project file not indexed", "project", name, "error", err)
			continue
		}
		if _, err := pipeline.Run(ctx, b.Tenant, connector, nil); err != nil {
			return fmt.Errorf("index the project %s: %w", name, err)
		}
	}
	return nil
}
