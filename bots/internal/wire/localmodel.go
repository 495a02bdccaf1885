package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	localmodels "github.com/footnotehq/footnote/adapters/localmodel"
	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/localmodel"
	"github.com/footnotehq/footnote/core/spend"
)

const localChoiceFile = "local-model.json"

// LocalChoice is the operator's decision whether a language model found on this machine may write
// answers, and which one.
type LocalChoice struct {
	Use     bool            `json:"use"` // false: quote documents
	Kind    localmodel.Kind `json:"kind,omitempty"`
	Address string          `json:"address,omitempty"`
	Model   string          `json:"model,omitempty"`
}

// dataDir returns "" if there is no data folder, for example without a home folder.
func dataDir(cfg *config.Config) string {
	if cfg.DataDir != "" {
		return cfg.DataDir
	}
	dir, err := local.DefaultDir()
	if err != nil {
		return ""
	}
	return dir
}

// ReadLocalChoice returns the stored choice. ok is false if there is none or its file is invalid;
// the caller then asks the operator again.
func ReadLocalChoice(cfg *config.Config) (choice LocalChoice, ok bool, err error) {
	dir := dataDir(cfg)
	if dir == "" {
		return choice, false, nil
	}
	text, err := os.ReadFile(filepath.Join(dir, localChoiceFile))
	if errors.Is(err, fs.ErrNotExist) {
		return choice, false, nil
	}
	if err != nil {
		return choice, false, fmt.Errorf("read which model was chosen: %w", err)
	}
	if json.Unmarshal(text, &choice) != nil || choice.Use && (choice.Model == "" || !localmodel.Loopback(choice.Address)) {
		return LocalChoice{}, false, nil
	}
	return choice, true, nil
}

// KeepLocalChoice stores a choice in the data folder.
func KeepLocalChoice(cfg *config.Config, choice LocalChoice) error {
	dir := dataDir(cfg)
	if dir == "" {
		return errors.New("keep which model was chosen: there is no data folder: set FOOTNOTE_DATA")
	}
	text, err := json.Marshal(choice)
	if err != nil {
		return fmt.Errorf("keep which model was chosen: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { // as the private server makes it
		return fmt.Errorf("keep which model was chosen: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, localChoiceFile), append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("keep which model was chosen: %w", err)
	}
	return nil
}

// LooksForLocalModels reports whether the program looks for model servers on this machine. It does
// not if a model is configured.
func LooksForLocalModels(cfg *config.Config) bool {
	return !cfg.HasModel() && cfg.LocalModel != config.NoLocalModel
}

// FindLocalModels returns the model servers on this machine.
func FindLocalModels(ctx context.Context, cfg *config.Config) []localmodel.Server {
	return localmodels.Find(ctx, localmodel.Where(cfg.LocalModelAddresses, cfg.OllamaHost), localmodels.Patience)
}

// FindChosen finds the server and model of a choice. why says, as a clause, why they cannot be
// used. It is empty if they can.
func FindChosen(ctx context.Context, choice LocalChoice) (offer localmodel.Offer, why string) {
	servers := localmodels.Find(ctx, []string{choice.Address}, localmodels.KnownPatience)
	switch {
	case len(servers) == 0:
		return offer, localmodels.ErrGone.Error()
	case servers[0].Kind != choice.Kind:
		return offer, fmt.Sprintf("%s answers there", servers[0].Kind)
	case servers[0].Fault != "":
		return offer, servers[0].Fault
	}
	at := slices.IndexFunc(servers[0].Models, func(m localmodel.Model) bool { return m.Name == choice.Model })
	if at < 0 {
		return offer, "it has no such model any more"
	}
	return localmodel.Offer{Server: servers[0], Model: servers[0].Models[at]}, ""
}

// LoadLocalModel makes the local server load the model. The returned offer has the context window
// that the server then provides.
func LoadLocalModel(ctx context.Context, offer localmodel.Offer) (localmodel.Offer, error) {
	model, err := localmodels.Load(ctx, offer)
	if err != nil {
		return offer, fmt.Errorf("load %s: %w", localmodel.Shown(offer.Model.Name), err)
	}
	offer.Model = model
	return offer, nil
}

// WithLocalModel returns a copy of the settings that uses a model on this machine. Its price is 0.
func WithLocalModel(cfg *config.Config, offer localmodel.Offer) *config.Config {
	with := *cfg
	// the key must not go to this machine
	if with.EmbeddingModel != "" && with.EmbeddingBaseURL == "" {
		with.EmbeddingBaseURL = config.OpenAI
	}
	with.FoundModel = true
	with.OpenAIBaseURL, with.Model = offer.Server.BaseURL(), offer.Model.Name
	if with.ModelWindow == 0 {
		with.ModelWindow = offer.Model.Window
	}
	if with.ModelWindow == 0 {
		with.ModelWindow = localmodel.AssumedWindow
	}
	if offer.Model.Small() {
		with.ModelProfile = "small"
	}
	file := *cfg.File
	file.Prices.Models = maps.Clone(file.Prices.Models)
	if file.Prices.Models == nil {
		file.Prices.Models = make(map[string]spend.Price)
	}
	if _, priced := file.Prices.Models[with.Model]; !priced {
		file.Prices.Models[with.Model] = spend.Price{}
	}
	with.File = &file
	return &with
}

// loadedWindow returns a warning if a local server loaded a smaller context window than prompts
// need. Otherwise it returns "".
func (b *Base) loadedWindow(ctx context.Context, model string, window int) string {
	address, ok := localmodel.AddressOf(b.Config.OpenAIBaseURL)
	if !ok {
		return ""
	}
	for _, s := range localmodels.Find(ctx, []string{address}, localmodels.KnownPatience) {
		for _, m := range s.Models {
			if m.Name == model || m.Name == model+":latest" {
				if says := (localmodel.Offer{Server: s, Model: m}).Narrow(window); says != "" {
					return "; " + says
				}
			}
		}
	}
	return ""
}

func (b *Base) localState(ctx context.Context) string {
	if !LooksForLocalModels(b.Config) {
		return ""
	}
	choice, chosen, err := ReadLocalChoice(b.Config)
	if err != nil {
		return "; " + err.Error()
	}
	if chosen && choice.Use {
		offer, why := FindChosen(ctx, choice)
		if why != "" {
			return "; " + localmodel.Gone(choice.Kind, choice.Model, choice.Address, why)
		}
		return fmt.Sprintf("; in footnote chat and ask %s of %s writes them; for footnote serve set %s; to choose again: %s",
			offer.Model.Describe(), offer.Server.Kind, offer.Settings(), localmodel.Again)
	}
	says := ""
	servers := FindLocalModels(ctx, b.Config)
	for _, o := range localmodel.Offers(servers) {
		says += fmt.Sprintf("; %s runs here with %s: for footnote serve set %s", o.Server.Kind, o.Model.Describe(), o.Settings())
	}
	for _, s := range servers {
		if s.Fault != "" {
			says += "; " + s.Unusable()
		}
	}
	if chosen {
		return says + "; footnote chat quotes, because that was chosen; to choose again: " + localmodel.Again
	}
	if says != "" {
		says += "; footnote chat asks whether it writes the answers there"
	}
	return says
}
