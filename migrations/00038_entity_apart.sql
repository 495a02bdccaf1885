-- +goose Up
-- Things that the operator says are not one, whatever documents say of them: the opposite of entity_merge (deploy/decisions/0055-who-is-one.md).
create table entity_apart (
    tenant_id  text not null,
    kind       text not null,
    key        text not null collate "C",
    other_kind text not null,
    other_key  text not null collate "C",
    said_by    text not null,
    created_at timestamptz not null default now(),
    primary key (tenant_id, kind, key, other_kind, other_key)
);

-- Documents that an earlier version of the program read. It counts as read what the one before it stored, too: document_unread serves that one.
create index document_older on document (tenant_id, shard, id) where knowledge < 2;

-- +goose Down
drop index document_older;
drop table entity_apart;
