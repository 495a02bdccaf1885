package call

// How much of a thread is read at once. The first page has as many messages as Slack hands out to
// apps that are distributed outside of its marketplace; others get the rest in larger pages.
const (
	FirstPage = 15
	NextPage  = 200
	MaxPages  = 4
)
