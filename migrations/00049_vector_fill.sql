-- +goose Up
-- How far the vectors of a model are that are made next to answering.
create table embedding_fill (
    tenant_id  text not null,
    model      text not null,
    complete   boolean not null default false, -- searches use the model
    rate       real not null default 0, -- chunks a second while it was filled last; 0: not known
    filler     text not null default '', -- the process that fills it
    until      timestamptz not null default '-infinity', -- and for how long others leave that to it
    primary key (tenant_id, model),
    foreign key (tenant_id, model) references embedding_model (tenant_id, name) on delete cascade
);

-- +goose Down
drop table embedding_fill;
