package openai

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Endpoint is a server with an OpenAI-compatible API, and how to connect to it.
type Endpoint struct {
	BaseURL string // ends in /v1 with most servers; default https://api.openai.com/v1
	APIKey  string // may be empty for servers on the operator's own machine
	// HTTP is the client for the requests. It must have no total timeout. Default: a client with
	// Go's defaults.
	HTTP *http.Client
	// IdleTimeout is the maximum time without any data on a stream. Keep-alive comments count as
	// data. The default is 90 s, and 5 minutes for reasoning models. A negative value means no
	// limit.
	IdleTimeout time.Duration
	// AddressSetting and KeySetting are the names of the settings for BaseURL and APIKey. Errors
	// contain these names. Default: OPENAI_BASE_URL and OPENAI_API_KEY.
	AddressSetting, KeySetting string
}

const (
	defaultBaseURL      = "https://api.openai.com/v1"
	defaultIdleTimeout  = 90 * time.Second
	thinkingIdleTimeout = 5 * time.Minute
)

func (e *Endpoint) setDefaults() {
	if e.BaseURL == "" {
		e.BaseURL = defaultBaseURL
	}
	e.BaseURL = strings.TrimRight(e.BaseURL, "/")
	if e.HTTP == nil {
		e.HTTP = &http.Client{}
	}
	e.AddressSetting = cmp.Or(e.AddressSetting, "OPENAI_BASE_URL")
	e.KeySetting = cmp.Or(e.KeySetting, "OPENAI_API_KEY")
	if e.IdleTimeout == 0 {
		e.IdleTimeout = defaultIdleTimeout
	}
}

func (e *Endpoint) validate() error {
	var faults []error
	u, err := url.Parse(e.BaseURL)
	switch {
	case err != nil: // the error of url.Parse contains the address, which may have a password
		faults = append(faults, errors.New("the base URL of the model endpoint is not a URL: write it like https://host/v1"))
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		faults = append(faults, errors.New("the base URL of the model endpoint must start with http:// or https:// and name a host, like https://host/v1"))
	case u.RawQuery != "" || u.Fragment != "":
		faults = append(faults, errors.New("the base URL of the model endpoint must have no query and no fragment: write it like https://host/v1"))
	case u.User != nil:
		faults = append(faults, errors.New("the base URL of the model endpoint must not contain a user name or password: use the API key"))
	}
	if strings.ContainsAny(e.APIKey, " \t\r\n") {
		faults = append(faults, errors.New("the API key contains white space: remove it"))
	}
	if e.HTTP.Timeout != 0 {
		faults = append(faults, fmt.Errorf("the HTTP client has a total timeout of %s, which would cut answers: set none", e.HTTP.Timeout))
	}
	return errors.Join(faults...)
}

func (e *Endpoint) explainer(model, setting string, sent []string) explainer {
	return explainer{
		host: e.host(), model: model, setting: setting, address: e.AddressSetting, keySetting: e.KeySetting, key: e.APIKey, sent: sent,
	}
}

func (e *Endpoint) host() string {
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return "the model endpoint"
	}
	return u.Host
}
