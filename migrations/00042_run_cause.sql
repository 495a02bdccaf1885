-- +goose Up
-- Why the model did not answer, as a code that footnote why explains.
alter table run add column cause text not null default '';

-- +goose Down
alter table run drop column cause;
