-- +goose Up
-- Documents are opened by their address. It is hashed because an address may be longer than an entry of a B-tree.
create index document_address on document (tenant_id, md5(url)) where url <> '';

-- The documents that a session's model was shown, each under the number that it keeps. An answer rests on those behind the answers before
-- it too: these are kept as numbers, so that a turn of a long session costs what one of a short session does.
create table session_document (
    tenant_id   text not null,
    session_id  uuid not null,
    number      int not null,
    document_id text not null,
    source_id   text not null,
    kind        text not null,
    title       text not null,
    url         text not null,
    updated_at  timestamptz,
    primary key (tenant_id, session_id, number),
    foreign key (tenant_id, session_id) references session (tenant_id, id) on delete cascade
);

alter table message add column inherited int[] not null default '{}';

-- +goose Down
alter table message drop column inherited;
drop table session_document;
drop index document_address;
