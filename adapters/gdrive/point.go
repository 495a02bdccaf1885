package gdrive

import (
	"context"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// MayRead implements [index.PointChecker]. It requests each file on behalf of the person. If
// Options.MyDrives is false, all results are index.CannotAsk.
func (c *Connector) MayRead(ctx context.Context, person string, points []index.Point) map[index.Point]index.Permission {
	ctx = sourcehttp.Small(ctx)
	may := make(map[index.Point]index.Permission)
	if !c.options.MyDrives {
		for _, p := range points {
			may[p] = index.CannotAsk
		}
		return may
	}
	var who user
	if err := c.client.get(ctx, directory, c.options.Admin, "users/"+person+"?"+query("fields", "id,primaryEmail,suspended,archived"), &who); err != nil || who.ID != person || who.PrimaryEmail == "" {
		return may
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, p := range points { // the client limits concurrent requests
		file, ok := strings.CutPrefix(string(p.Document), string(c.source.ID)+":")
		if !ok || !isID(file) {
			continue
		}
		all.Go(func() {
			yes, known := c.sees(ctx, address(who.PrimaryEmail), file)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case known && yes && who.active():
				may[p] = index.Allowed
			case known:
				may[p] = index.Denied
			}
		})
	}
	all.Wait()
	return may
}

func (c *Connector) sees(ctx context.Context, subject, id string) (yes, known bool) {
	var got struct {
		ID      string `json:"id"`
		Trashed bool   `json:"trashed"`
	}
	err := c.client.get(ctx, drive, subject, "files/"+id+"?"+query("supportsAllDrives", "true", "fields", "id,trashed"), &got)
	if err != nil {
		return false, absent(err)
	}
	return !got.Trashed, got.ID == id // a response without this id proves nothing
}
