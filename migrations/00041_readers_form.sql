-- +goose Up
-- In which form the readers of the nodes of a source are stored: the next run of its nodes writes
-- older ones again.
alter table source_access add column readers_form int not null default 0;

-- +goose Down
alter table source_access drop column readers_form;
