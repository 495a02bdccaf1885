-- +goose Up
-- The rules by which a document was cut into chunks, or last found to need no cutting
-- (core/index.Chunking). Binaries that do not know the column cut by the rules of 1.
alter table document add column chunking smallint not null default 1;

-- +goose Down
alter table document drop column chunking;
