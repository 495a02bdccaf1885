-- +goose Up
-- How the operator asked for a source: its address, who may read, which files. Indexing it again without saying so keeps them, so that
-- nobody sees more because a flag was left out.
alter table source add column options jsonb not null default '{}';

-- +goose Down
alter table source drop column options;
