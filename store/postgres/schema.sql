-- Layout 1 of package store/postgres. SCHEMA is replaced with the name of the schema.

create table SCHEMA.layout (version integer not null);
insert into SCHEMA.layout values (1);

create table SCHEMA.zones (
	id       bigint generated always as identity primary key,
	name     text   not null unique,
	epoch    bigint not null,
	frame    bigint not null default 0, -- 0 if there is no cut yet
	head     bytea,
	owners   bigint not null default 0, -- number of owners; this column and the next two are the checksum of the cut
	commands bigint not null default 0,
	total    bigint not null default 0
);

create table SCHEMA.owners (
	id   bigint primary key, -- the 64 bits of the id, as a signed number
	zone bigint not null references SCHEMA.zones,
	crc  bigint not null,    -- checksum of the record
	data bytea  not null
);
create index on SCHEMA.owners (zone);

create table SCHEMA.commands (
	zone  bigint  not null references SCHEMA.zones,
	frame bigint  not null,
	n     integer not null,
	crc   bigint  not null,
	data  bytea   not null,
	primary key (zone, frame)
);
