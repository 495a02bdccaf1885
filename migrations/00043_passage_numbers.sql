-- +goose Up
-- A number that a model sees is for one passage of a document. Older binaries write no part: their
-- numbers are for documents.
alter table session_document add column part text not null default '';
-- The headings of the sections that citations and passages lead to.
alter table citation add column section text not null default '';
alter table message_document add column heading text not null default '';

-- +goose Down
alter table message_document drop column heading;
alter table citation drop column section;
alter table session_document drop column part;
