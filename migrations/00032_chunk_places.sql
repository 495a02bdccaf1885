-- +goose Up
-- Where further sections begin within a chunk, in characters from its beginning, and the anchors that lead there: a link goes to the section that is
-- cited. Null: the chunk is of one section, or was stored before this was kept.
alter table chunk add column place_starts int[], add column place_anchors text[];

-- +goose Down
alter table chunk drop column place_starts, drop column place_anchors;
