-- +goose Up
-- Documents are opened by their address. It is hashed because an address may be longer than an entry of a B-tree.
create index document_address on document (tenant_id, md5(url)) where url <> '';

-- +goose Down
drop index document_address;
