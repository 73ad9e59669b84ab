-- Layout 1 of package cluster, in addition to the tables of store/postgres. SCHEMA is replaced
-- with the name of the schema.

create table SCHEMA.cluster_layout (version integer not null);
insert into SCHEMA.cluster_layout values (1);

create table SCHEMA.nodes (
	name        text primary key,
	incarnation bigint not null,      -- random number that identifies the process, because a lease belongs to a process and not to a name
	until       timestamptz not null, -- time until which the node counts as alive
	leaves      boolean not null default false
);

create table SCHEMA.leases (
	zone        bigint primary key references SCHEMA.zones,
	node        text,                 -- null if no node holds the lease
	incarnation bigint,
	until       timestamptz not null default '-infinity',
	claimed     timestamptz,
	load        double precision not null default 0,
	wish        text,                 -- the node to which the zone should move
	wished      timestamptz not null default '-infinity', -- time until which the wish is valid
	failures    integer not null default 0                -- consecutive failures, each within a minute of the start
);
