-- +goose Up
-- What the engine that reads sources knows between runs, beside source.checkpoint: binaries without
-- the engine go on with that one. A note is a part of the engine's state, in its own words.
create table source_note (
    tenant_id text not null,
    source_id text not null,
    key       text not null,
    value     bytea not null,
    primary key (tenant_id, source_id, key),
    foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade
);

-- Which documents the lists of a source hold, whether they could be read or not.
create table source_listing (
    tenant_id text not null,
    source_id text not null,
    list      text not null,
    id        text not null,        -- document.external_id
    pass      bigint not null,      -- the last pass over the list that met the document
    made_at   timestamptz,          -- null: not known
    primary key (tenant_id, source_id, list, id),
    foreign key (tenant_id, source_id) references source (tenant_id, id) on delete cascade
) with (fillfactor = 80); -- each pass changes rows in place
create index source_listing_id on source_listing (tenant_id, source_id, id);

-- +goose Down
drop table source_listing;
drop table source_note;
