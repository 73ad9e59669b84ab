-- Layout 1 of package cluster, beside the tables of store/postgres. SCHEMA stands for the name of the schema.

create table SCHEMA.cluster_layout (version integer not null);
insert into SCHEMA.cluster_layout values (1);

create table SCHEMA.nodes (
	name        text primary key,
	incarnation bigint not null,      -- of the process: a lease is one's, not a name's
	until       timestamptz not null, -- it is alive
	leaves      boolean not null default false
);

create table SCHEMA.leases (
	zone        bigint primary key references SCHEMA.zones,
	node        text,                 -- null: free
	incarnation bigint,
	until       timestamptz not null default '-infinity',
	claimed     timestamptz,
	load        double precision not null default 0,
	wish        text,                 -- the node that it is to be on
	wished      timestamptz not null default '-infinity', -- until when that holds
	failures    integer not null default 0                -- one after the other, none of them after a minute of play
);
