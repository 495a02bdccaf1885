package command

import (
	"context"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/upload"
)

const sentenceFilesUsage = "Write `/footnote files` for the list, or `/footnote files remove ID`."

// filesCommand lists the uploaded files that the person may read, or removes one of them. The reply
// may name all of these files, because only the person sees it.
func (s *Service) filesCommand(ctx context.Context, c Request, words []string) (string, error) {
	if s.Uploads == nil {
		return upload.SayNotHere, nil
	}
	alone, held, err := s.held(ctx, c)
	if err != nil || len(alone.People) != 1 || alone.People[0].ID != c.By.ID || alone.Tenant != c.Tenant {
		s.Logger.WarnContext(ctx, "a person is unknown, so no files are listed", "error", err)
		return "Who you are cannot be found out at the moment. Try again in a minute.", nil
	}
	holds := access.AudienceOf(c.Tenant, held)
	switch {
	case len(words) == 0:
		all, err := s.Uploads.List(ctx, c.Tenant, holds)
		if err != nil {
			return "", err
		}
		return upload.SayList(upload.Visible(s.Uploads.Projects(), holds), all), nil
	case len(words) == 2 && strings.EqualFold(words[0], "remove"):
		id := upload.ID(strings.ToLower(strings.Trim(words[1], "`")))
		said, _, err := s.Uploads.Remove(ctx, c.Tenant, id, alone.People[0], c.Admin, holds)
		return said, err
	}
	return sentenceFilesUsage, nil
}
