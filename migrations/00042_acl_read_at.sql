-- +goose Up
-- When the run began that found who may read a document: an earlier run does not overwrite it.
alter table document add column acl_read_at timestamptz not null default '-infinity';
-- Whether a run of the documents has begun and not ended.
alter table source add column reading boolean not null default false;

-- +goose Down
alter table source drop column reading;
alter table document drop column acl_read_at;
