"""The commonest errors of Spark and its Kafka connector, in words for someone who is learning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.scenario.recording import Failure


@dataclass(frozen=True)
class Translation:
    """An error known by `sign`, a regular expression on its error condition and its text.

    `asked` may hold {call}, the method of Spark that the learner's line called. `checked` takes the
    place of `do` where a check attaches the writer: there the learner sets no mode and starts nothing.
    `marked` takes it where the query sets a watermark; it may hold {columns}.
    """

    name: str
    sign: str
    asked: str
    means: str
    do: str
    checked: str = ""
    marked: str = ""

    def fits(self, failure: Failure) -> bool:
        text = f"[{failure.condition}] {failure.message}\n{failure.detail}"
        return re.search(self.sign, text) is not None

    def asked_in(self, failure: Failure) -> str:
        """What was asked for, to stand after "You asked"."""
        asked = self.asked.format(call=f"`{failure.call}`" if failure.call else _AN_ACTION)
        return asked if asked.startswith("to ") else f"for {asked}"

    def do_in(self, failure: Failure, watermarks: Sequence[str] = ()) -> str:
        """What to do; `watermarks` are the columns on which the query sets one, as far as that is known."""
        if self.marked and watermarks:
            return self.marked.format(columns=" and ".join(f"`{name}`" for name in watermarks))
        return self.checked if self.checked and failure.own_writer is False else self.do


_AN_ACTION = "an action such as show, count, collect or write"
_NO_PYTHON = "Python worker failed to connect back"


# The first that fits is taken; what is more special stands first.
TRANSLATIONS = (
    Translation(
        "a column asked for true or false",
        r"CANNOT_CONVERT_COLUMN_INTO_BOOL",
        "a column whether it is true or false",
        "Python asked at once, and a column has values only when rows arrive. `and`, `or`, `not`, `if` and a chained "
        "comparison ask so, and `&` does when a comparison beside it lacks its brackets.",
        'Join conditions with &, | and ~, each in brackets: (F.col("a") == 1) & (F.col("b") > 2).',
    ),
    Translation(
        "a table that is not there",
        r"TABLE_OR_VIEW_NOT_FOUND",
        "a table or view that Spark does not know",
        "A temporary view belongs to the session of the DataFrame that it was made from, and to no other.",
        "Compare the names, and ask the session of the DataFrame: frame.sparkSession.sql(…).",
    ),
    Translation(
        "append without watermark",
        r"append\. This output mode is not supported for streaming aggregations without watermark",
        "an aggregation in append mode, the mode where none is set",
        "Append gives out a row once, when it is final. A group is final when a watermark has passed a time that "
        "the group holds; without that one more event may always come.",
        "For rows by time set withWatermark on the column of the time before groupBy, and group by a window or a session "
        "window of that very column (`window.start` is a plain timestamp). For running counts, which are never final, set "
        '.outputMode("update") on the writer: it gives out each row that has changed.',
        "The check starts your query in append mode. Set withWatermark before groupBy, on the very column that the "
        "window is made of, with the delay that the task names. On another column, or after groupBy, it does not count.",
        "Your query sets a watermark on {columns}. For a groupBy it counts if it stands before it and the key holds a "
        "window of that very column, or the column itself. What is computed from the column has lost it: a cast, "
        "date_trunc, `window.start`. A key of another time needs a watermark on that time.",
    ),
    Translation(
        "session window in update mode",
        r"not supported for session window streaming aggregations",
        "a session window in update mode",
        "A session can still grow together with its neighbour, and then a row that is already out would have to be "
        "taken back. Spark therefore gives sessions out only when they are final.",
        'Use outputMode("append"), with a watermark before the groupBy.',
        "The check starts your query in update mode, so the task can do without a session window.",
    ),
    Translation(
        "a gap of another type",
        r"Gap duration expression used in session window must be CalendarIntervalType",
        "a session window whose gap is neither a text nor a calendar interval",
        "Spark takes the gap as a duration in words, the same for all rows or one for each.",
        'Give it as text: "5 seconds", or a column of such texts.',
    ),
    Translation(
        "sessions of nobody",
        r"Global aggregation with session window in streaming query is not supported",
        "sessions without another key beside them",
        "Sessions that belong to nobody would all be in one place, and Spark does not do that on a stream.",
        "Name whose sessions they are in groupBy, beside session_window: the user, the device.",
    ),
    Translation(
        "complete without aggregation",
        r"complete\. This output mode is not supported for no streaming aggregations",
        "complete mode without an aggregation",
        "Complete gives out the whole result table at every trigger. Without an aggregation that would be every row "
        "that ever came.",
        'Use outputMode("append"), or aggregate.',
        "The check starts your query in complete mode, so the task asks for an aggregation.",
    ),
    Translation(
        "output mode of a file sink",
        r"STREAMING_OUTPUT_MODE\.UNSUPPORTED_DATASOURCE",
        "an output mode that this sink does not have",
        "Files can be added and not changed, so a file sink only appends.",
        'Use outputMode("append") with a watermark, or foreachBatch with a merge of your own.',
    ),
    Translation(
        "several stateful operators in update or complete mode",
        r"Detected pattern of possible 'correctness' issue due to global watermark",
        "several stateful operators in one query, not in append mode",
        "Only in append mode a row is given out once, when it is final. In the others the first operator gives out "
        "drafts, and the second counts each of them as a row of its own, or drops it as late. The result would be "
        "wrong without a word.",
        'Use outputMode("append"), or do with one stateful operator where every change is asked for. For a second window '
        'take window(col("window"), …) or window_time("window").',
        "The check does not start your query in append mode, so the task can do with one stateful operator.",
    ),
    Translation(
        "arbitrary state before another stateful operator",
        r"\w+WithState in update mode is not supported with aggregation",
        "an operator with your own state, with an aggregation after it",
        "Spark does not know which of the rows that your function gives out are final, so nothing stateful may follow.",
        "Make it the last stateful operator, do the aggregation inside the function, write to a topic and "
        "aggregate in a second query, or use transformWithState with an event-time column for its output.",
    ),
    Translation(
        "output mode of arbitrary state",
        r"\w+WithState in \w+ mode is not supported with \w+ output mode",
        "an operator with your own state in one output mode, started in another",
        "The mode given to applyInPandasWithState and the mode of the writer must be the same.",
        "Give both the same mode.",
        "Give applyInPandasWithState the mode in which the check starts your query; the message below names both.",
    ),
    Translation(
        "the state store of transformWithState",
        r"STORE_BACKEND_NOT_SUPPORTED_FOR_TWS",
        "transformWithState on the in-memory state store",
        "transformWithState keeps several variables for each key; only the RocksDB store has column families for that.",
        'Before the query starts: spark.conf.set("spark.sql.streaming.stateStore.providerClass", "org.apache.'
        'spark.sql.execution.streaming.state.RocksDBStateStoreProvider")',
    ),
    Translation(
        "connector missing",
        r"KAFKA_DATA_SOURCE_NOT_ENABLED|Failed to find (the )?data source: kafka\b",
        "a Kafka source or sink",
        "The connector is not part of Spark: without its jar the word `kafka` means nothing to it.",
        "Get the session from grader.start(). Elsewhere start Spark with "
        "--packages org.apache.spark:spark-sql-kafka-0-10_2.13 in the version of your Spark.",
    ),
    Translation(
        "unknown data source",
        r"DATA_SOURCE_NOT_FOUND",
        "a source or sink of a kind that Spark does not know",
        "The name given to format() is misspelt, or its package is not there.",
        "Compare it with kafka, rate, socket, memory, console, json, parquet.",
    ),
    Translation(
        "Scala versions mixed",
        r"scala/\$less\$colon\$less|scala\.Product\$class|NoSuchMethodError.*scala\.",
        "a jar that was built for another Scala",
        "Spark 4 is built with Scala 2.13; a jar whose name ends in _2.12 calls classes that are not there.",
        "Take the same package with _2.13 in its name and the version of your Spark.",
    ),
    Translation(
        "checkpoint of another query",
        r"STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA",
        "to go on from a checkpoint that another query wrote",
        "State belongs to an operator. The operators of this query are not those that the checkpoint was written by.",
        "Set the query back to what it was, or begin anew with a fresh checkpoint (grader.fresh_checkpoint()).",
    ),
    Translation(
        "changed schema of the state",
        r"STATE_STORE_(KEY|VALUE)_SCHEMA_NOT_COMPATIBLE",
        "to go on from a checkpoint with another grouping or other aggregates",
        "Keys and values in the state store have the types of the query that wrote them; this query reads them as "
        "something else.",
        "Give the query back its grouping and aggregates, or begin anew with a fresh checkpoint. For the old results let "
        "the new query read the topic from the beginning.",
    ),
    Translation(
        "changed sources",
        r"sources in the checkpoint offsets and now there are",
        "to go on from a checkpoint with another number of sources",
        "The checkpoint holds one offset for each source, in the order of the query.",
        "Set the sources back to what they were, or begin anew with a fresh checkpoint.",
    ),
    Translation(
        "offsets lost",
        r"Some data may have been lost because they are not available in Kafka any more",
        "to read on from an offset that Kafka does not have any more",
        "The topic was deleted and made anew, the query now subscribes to another topic, or the records grew too old "
        "for Kafka to keep. Spark stops rather than leave out data without a word.",
        "Use a fresh checkpoint to begin again. failOnDataLoss=false goes on with a gap: only where a gap is harmless.",
    ),
    Translation(
        "no Python process",
        _NO_PYTHON,
        "a source, a processor or a function in Python",
        "Spark starts a Python process for it and waits ten seconds for a call from there. None came that it could use: "
        "this machine was very busy, or something keeps the process from starting. It says nothing about your code.",
        "Run the cell once more, with less running beside it. If it stays so, look for what blocks or ends new processes: a "
        "virus scanner, a limit on processes.",
    ),
    Translation(
        "checkpoint in use",
        r"another query with same id is already active",
        "to start a query on a checkpoint that a running query uses",
        "One checkpoint belongs to one running query, or both would write the same batches.",
        "Stop the first one: for query in spark.streams.active: query.stop(). Or give this one a checkpoint of its own.",
    ),
    Translation(
        "checkpoint written by two",
        r"CONCURRENT_STREAM_LOG_UPDATE",
        "to write a batch that somebody else has written into the same checkpoint",
        "Two programs run on one checkpoint at the same time, for instance two notebooks or an old kernel.",
        "Stop one of them; give every query a checkpoint folder of its own.",
    ),
    Translation(
        "checkpoint not given",
        r"checkpointLocation must be specified",
        "a query without a checkpoint",
        "This sink keeps its promises only if it is known which batches are done; that is what the checkpoint holds.",
        'Add .option("checkpointLocation", grader.fresh_checkpoint()).',
    ),
    Translation(
        "a stream used like a table",
        r"Queries with streaming sources must be executed with writeStream\.start\(\)"
        r"|CALL_ON_STREAMING_DATASET_UNSUPPORTED",
        "{call} on a stream",
        "An action needs all rows, and a stream has no last one.",
        "Start a query with df.writeStream…start() and look at its sink; to peek into a topic use spark.read "
        "instead of spark.readStream, or kafka.read(topic).",
        "Leave that line out. Return the streaming DataFrame; the check starts the query and looks at its rows.",
    ),
    Translation(
        "a table used like a stream",
        r"WRITE_STREAM_NOT_ALLOWED",
        "writeStream on a DataFrame that is not a stream",
        "It was read with spark.read, or made in the notebook: it ends, and is written with df.write.",
        "Read the source with spark.readStream.",
    ),
    Translation(
        "row window on a stream",
        r"NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING",
        "a window over rows (OVER, row_number, lag) on a stream",
        "Such a window needs the rows before and after each row, and there is no telling what comes after.",
        "Group by a window of the event-time column. For the newest row of a key use max_by, for a row and the "
        "one before it keep state of your own.",
    ),
    Translation(
        "sorting a stream",
        r"Sorting is not supported on streaming",
        "a stream in order",
        "To sort, Spark would have to wait for the last row.",
        "Leave orderBy out and sort where you read the result; complete mode can sort an aggregation.",
        "Leave orderBy out: the check does not mind in which order rows come.",
    ),
    Translation(
        "limit in update mode",
        r"Limits are not supported on streaming",
        "the first rows of a stream in update mode",
        "In update mode rows change, so which ones are the first changes, too.",
        "Leave limit out, or use append mode.",
        "Leave limit out.",
    ),
    Translation(
        "distinct aggregation",
        r"Distinct aggregations are not supported on streaming",
        "an exact count of distinct values on a stream",
        "For that every value seen would stay in state for ever.",
        "Count what collect_set keeps of a group: F.size(F.collect_set(…)). Or take the repeats out first "
        "(dropDuplicates, or dropDuplicatesWithinWatermark, which forgets old keys), then count. approx_count_distinct "
        "is for where an estimate will do.",
    ),
    Translation(
        "outer join without an end",
        r"Stream-stream \w+Outer join .* not supported without a watermark",
        "an outer join of two streams",
        "An outer join gives out a row without a partner when no partner can come any more. Spark learns that from a "
        "watermark on each side and from a condition that limits the time between the two rows.",
        "Set withWatermark on both inputs, and let the condition limit the time of one by that of the other, from both "
        "sides, such as `later BETWEEN earlier AND earlier + INTERVAL 10 MINUTES`.",
        marked="Your query sets a watermark on {columns}. Both inputs need one, and the condition has to limit the time of "
        "one by that of the other, from both sides, such as `later BETWEEN earlier AND earlier + INTERVAL 10 MINUTES`.",
    ),
    Translation(
        "a second watermark on one way",
        r"Redefining watermark is disallowed",
        "a second watermark behind a first one",
        "On its way to an operator a stream bears one watermark. With a second one Spark could not say which of them "
        "makes a row late.",
        "Keep one. Where an operator between them needs the first, take the second out: Spark carries the first on by "
        "itself. Else keep the one on the column whose time the next operator goes by. The setting that Spark names is not "
        "the way out.",
    ),
    Translation(
        "two times that bear a watermark",
        r"More than one event time columns are available",
        "an operator that keeps state, of a stream with two times that bear a watermark",
        "A window bears the watermark of the time that it is made of. So in front of the operator there are two such "
        "columns, and Spark cannot say which of them makes a row late.",
        "Let one of the two reach the operator: make the window behind it, or leave the other column out with select in "
        "front of it.",
    ),
    Translation(
        "outer join in another mode",
        r"Outer join between two streaming DataFrames/Datasets is not supported in \w+ output mode",
        "an outer join of two streams, not in append mode",
        "A row without a partner might find one later and would have to be taken back.",
        'Use outputMode("append").',
        "The check does not start your query in append mode; in that mode an inner join can be given out.",
    ),
    Translation(
        "outer join with a table on the wrong side",
        r"join with a streaming DataFrame/Dataset on the (left|right) and a static",
        "to keep all rows of a table in a join with a stream",
        "A table's row has no partner only if none ever comes, which nobody can know.",
        "Keep the stream's rows instead: left_outer with the stream on the left.",
    ),
    Translation(
        "deduplication without watermark",
        r"dropDuplicatesWithinWatermark is not supported .*without watermark",
        "dropDuplicatesWithinWatermark without a watermark",
        "The watermark says how long a key is remembered.",
        "Set withWatermark before it.",
    ),
    Translation(
        "event time of another type",
        r"EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE",
        "a watermark on a column that is no timestamp",
        "Only a TIMESTAMP is a moment: text that looks like a time is none, and neither is a DATE or a TIMESTAMP_NTZ.",
        "Name the column TIMESTAMP in the schema that you parse with, or convert it with to_timestamp first.",
    ),
    Translation(
        "interval",
        r"CANNOT_PARSE_INTERVAL",
        "a length of time that Spark cannot read",
        "An interval is a number and a unit.",
        'Write "10 seconds", "5 minutes" or "1 hour".',
    ),
    Translation(
        "column name",
        r"UNRESOLVED_COLUMN",
        "a column that is not there",
        "The name is misspelt, or the column was left behind by a select or a groupBy before.",
        "Call printSchema() on the DataFrame of this line, and compare.",
    ),
    Translation(
        "a window taken for a time",
        r"DATATYPE_MISMATCH[^\n]*STRUCT<start: TIMESTAMP",
        "a window where a time or another plain value is needed",
        "A window is a struct of two times, its start and its end.",
        'Take F.col("window.start") or F.col("window.end").',
    ),
    Translation(
        "a slide beyond its window",
        r"DATATYPE_MISMATCH\.PARAMETER_CONSTRAINT_VIOLATION[^\n]*slide_duration[^\n]*window_duration",
        "a window that slides further than it is long",
        "Between two such windows there would be times that belong to none, and Spark allows no gap.",
        "The length comes first, then the slide, which is at most as long: F.window(time, length, slide).",
    ),
    Translation(
        "an offset beyond its slide",
        r"DATATYPE_MISMATCH\.PARAMETER_CONSTRAINT_VIOLATION[^\n]*start_time",
        "windows that begin later by a whole slide or more",
        "Windows follow each other by the slide (by the length, where there is none), so they can be moved by less than "
        "that only.",
        'Take off whole slides from the offset: with a slide of 30 minutes "40 minutes" is "10 minutes".',
    ),
    Translation(
        "column type",
        r"DATATYPE_MISMATCH",
        "an operation on types that do not go together",
        "One of the columns has another type than the operation takes.",
        "Look at the types with printSchema(), and cast.",
    ),
    Translation(
        "no such topic",
        r"UnknownTopicOrPartition",
        "to read a topic that the broker does not have",
        "The name is misspelt, or the topic was deleted.",
        'Compare the name with the one that the events are sent to; kafka.create_topic("name") makes one.',
    ),
    Translation(
        "a name that no topic can have",
        r"InvalidTopicException",
        "a topic by a name that Kafka does not take",
        "A name holds letters, digits, dots, underscores and hyphens, up to 249 of them; the text of an object, such as "
        "that of `kafka` itself, holds others.",
        'Print what your query names as its topic; in an exercise that is kafka.topic("name").',
    ),
    Translation(
        "no broker",
        r"Timed out waiting for a node assignment|No resolvable bootstrap urls",
        "to talk to a Kafka broker",
        "Nothing answers at that address: the broker is stopped, or the address is wrong.",
        "Use kafka.bootstrap_servers for kafka.bootstrap.servers. If the lab was stopped, restart the kernel and run "
        "grader.start(); `grader doctor` looks for the cause.",
    ),
    Translation(
        "serializers for Kafka",
        r"Kafka option '[\w.]*serializer' is not supported",
        "a serializer or deserializer of Kafka's own",
        "Spark gives keys and values as bytes, and takes bytes or text.",
        'Take the option out. When you read, make the bytes text (value.cast("string")), then parse that; when you write, '
        "put what is to be sent into one column `value`, with to_json.",
    ),
    Translation(
        "consumer settings that belong to Spark",
        r"Kafka option '[\w.]+' is not supported",
        "a consumer setting that Spark sets itself",
        "Spark keeps the offsets in its checkpoint, so a consumer group's own position and starting point mean nothing.",
        'Use .option("startingOffsets", "earliest") for the first start; afterwards the checkpoint decides.',
    ),
    Translation(
        "Kafka options missing",
        r"One of the following options must be specified for Kafka source"
        r"|Option 'kafka\.bootstrap\.servers' must be specified",
        "a Kafka source without an address or a topic",
        "It must be told where the broker is and what to read.",
        'Add .option("kafka.bootstrap.servers", kafka.bootstrap_servers).option("subscribe", topic).',
    ),
    Translation(
        "value for Kafka",
        r"value attribute unsupported type|Required attribute 'value' not found",
        "to write rows to Kafka that have no text in `value`",
        "Kafka carries bytes: the sink takes a column `value` of type string or binary, and a `key` if there is one.",
        'Pack the columns first: select(to_json(struct("*")).alias("value")).',
    ),
    Translation(
        "topic for Kafka",
        r"topic option required when no 'topic' attribute",
        "to write to Kafka without saying where",
        "Neither an option nor a column names the topic.",
        'Add .option("topic", name) to the writer.',
    ),
    Translation(
        "name of a memory table",
        r"queryName must be specified for memory sink",
        "a memory sink without a name",
        "The rows go into a table, and the query's name is the table's.",
        'Add .queryName("results"), then spark.table("results").',
    ),
    Translation(
        "continuous processing",
        r"Continuous processing does not support",
        "a continuous trigger for a query with state or a watermark",
        "The continuous trigger has no micro-batches, and state is kept and evicted by micro-batch.",
        'Use trigger(availableNow=True) or trigger(processingTime="…").',
    ),
    Translation(
        "what cannot go to the workers",
        r"PicklingError|Could not serialize object|CONTEXT_ONLY_VALID_ON_DRIVER",
        "a Python function with something in it that cannot be sent to Spark's workers",
        "Such a function runs in other processes and takes along all that it uses from outside. A Spark session, a "
        "connection, a lock, or a class that a call has made cannot go along.",
        "Make or import it inside the function, and take along plain values only.",
    ),
    Translation(
        "columns of a Python operator",
        r"RESULT_COLUMN_NAMES_MISMATCH|RESULT_COLUMN_SCHEMA_MISMATCH|RESULT_LENGTH_MISMATCH",
        "a schema for what your Python function gives back",
        "The pandas DataFrame that came back has other columns than the schema names.",
        "Give it just those columns, by the same names.",
    ),
    Translation(
        "a processor that gives nothing back",
        r"for row in iter_row:\s+(?:[~^]+\s+)?TypeError: 'NoneType' object is not iterable",
        "rows of a processor's function that gave back None",
        "handleInputRows and handleExpiredTimer give rows, if only none of them. A function without `yield` and "
        "`return` gives None.",
        "Give out each row with yield. Where there is none to give out, end with: return iter([]).",
    ),
    Translation(
        "fields of what is not there",
        r"in handle(?:InputRows|ExpiredTimer)\b[\s\S]*TypeError: cannot unpack non-iterable NoneType object",
        "the fields of a value that is None",
        "A state variable gives None for what nobody has put into it: get() of a value, getValue(key) of a map.",
        "Say what it begins with, such as `(count,) = self.counts.getValue(key) or (0,)`.",
    ),
    Translation(
        "no Row of a processor",
        r"row\.asDict\(True\)\s+(?:[~^]+\s+)?AttributeError: '\w+' object has no attribute 'asDict'",
        "rows of a processor that are no Row",
        "Spark looks for each column of the output schema by its name. A tuple or a dict is no Row; and a single Row "
        "that is returned, not yielded, is taken for a list of rows.",
        "Give them out one by one, with the names of the output schema: yield Row(page=…, clicks=…).",
    ),
    Translation(
        "parameters of a timer by other names",
        r"handleExpiredTimer\(\) got an unexpected keyword argument",
        "a processor whose handleExpiredTimer names its parameters otherwise",
        "Spark hands the arguments of this method over by name, so the names are given.",
        "Write handleExpiredTimer(self, key, timerValues, expiredTimerInfo).",
    ),
    Translation(
        "initial state that is not grouped",
        r"isinstance\(initialState, GroupedData\)",
        "initial state that is not grouped",
        "Spark gives each of its rows to the key that the row belongs to.",
        "Group it by the same columns as the stream: initialState=before.groupBy(…).",
    ),
    Translation(
        "times with and without a zone",
        r"TypeError: can't (compare|subtract) offset-naive and offset-aware datetimes",
        "to compare or subtract two times, one with a zone and one without",
        "The time of a row has one in Python, that of the session. A TIMESTAMP that is read from a variable of a "
        "processor has none.",
        "Keep milliseconds in the state, a LONG: int(row.time.timestamp() * 1000).",
    ),
    Translation(
        "a state's row of another length",
        r"STRUCT_ARRAY_LENGTH_MISMATCH",
        "a row of the state with more or fewer values than its schema has columns",
        "Keys and values of a variable are tuples, with one value for each column. A text without brackets counts as a "
        "tuple of its letters.",
        "Write the brackets and the comma: getValue((page,)).",
    ),
    Translation(
        "a plain value for state",
        r"in _serialize_to_bytes[^$]*object is not iterable",
        "state to keep a plain value",
        "State keeps rows: a tuple with one value for each column of the variable's schema, also where it has one.",
        "Write the brackets and the comma: update((count,)).",
    ),
    Translation(
        "a timer without a time mode",
        r"CANNOT_PERFORM_OPERATION_WITH_INVALID_TIME_MODE",
        "a timer of a processor that runs in no time mode",
        "A timer goes off when a time has come: the watermark's, or the clock's. The time mode says which.",
        'Give transformWithState timeMode="EventTime", with a watermark before groupBy, or "ProcessingTime".',
    ),
    Translation(
        "a TTL outside of processing time",
        r"INCORRECT_TIME_MODE_TO_ASSIGN_TTL",
        "state with a TTL, and a time mode that is not processing time",
        "A TTL counts by the clock of the machine, and there is none that counts by the times of events.",
        'Give transformWithState timeMode="ProcessingTime". In event time let a timer clear the state.',
    ),
    Translation(
        "a processor that cannot be made ready",
        r"TransformWithStateIn\w+ driver worker exited unexpectedly",
        "transformWithState with a processor that Spark could not make ready",
        "Before the first batch Spark asks the processor in a Python process of its own for its variables, and that "
        "process ended. One cause is a class where an object belongs.",
        "Hand over an object, with brackets: transformWithState(Counter(), …). Then look into init().",
    ),
    Translation(
        "a value of another type than its column",
        r"pyarrow\.lib\.Arrow(Invalid|TypeError): ",
        "a value that does not fit the type of its column",
        "The schema that you gave says the type of each column, and your function gave back something else.",
        "The message below names the value or its type, and the type of the column: change the one or the other. A column "
        "that is called bytes there is a STRING in the schema.",
    ),
    Translation(
        "a list or a map as state",
        r"KeyError: '(elementType|keyType)'",
        "state of applyInPandasWithState with an ARRAY or a MAP in its schema",
        "Such state holds numbers, texts, truth values, times and structs of these. Of an array or a map Spark's Python "
        "worker cannot read the type.",
        "Keep numbers that say the same; or text, in a STRING: json.dumps(…) when you update, json.loads(…) when you get.",
    ),
    Translation(
        "the time of no rows",
        r"NaTType does not support timestamp|'float' object has no attribute 'timestamp'",
        "a number for a time that is missing",
        "The newest of no rows is no time. When the time of a group is up, its function is called with a DataFrame without "
        "rows. (And among rows, a time may be null.)",
        "Look at state.hasTimedOut first, and return there, before the rows are read.",
    ),
    Translation(
        "a timeout that would be up already",
        r"INVALID_TIMEOUT_TIMESTAMP|cannot be earlier than the current watermark",
        "a timeout before the watermark",
        "Such a timeout would be up already. Both are milliseconds since 1970, with thirteen digits in our days; a number "
        "of seconds has ten.",
        "Compare the two numbers below. If the first is a thousand times too small, multiply it; if it is only a little "
        "too old, take the later of it and state.getCurrentWatermarkMs().",
    ),
    Translation(
        "a setting of RocksDB of another type",
        r"IllegalArgumentException: Invalid value for 'spark\.sql\.streaming\.statestore\.rocksdb\.",
        "a setting of RocksDB that is not of its type",
        "Numbers are written without a unit, truth as true or false. RocksDB's settings are read when its stores open, so "
        "spark.conf.set takes anything.",
        "The message below names the setting, in small letters, and what it must be.",
    ),
    Translation(
        "a class that is not there",
        r"terminated with exception: (?!null\b)[\w.$]+ SQLSTATE: XXKST",
        "something by a name that Spark did not find",
        "Spark says the name and no more; so it tells of a class that is not there, a state store's among them.",
        "Write the whole name: org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider, say.",
    ),
    Translation(
        "a value that cannot be cast",
        r"CAST_INVALID_INPUT|CANNOT_PARSE_TIMESTAMP",
        "to make another type of a value that is none of that type",
        "Such a value ends the query, and it stays in the source: every restart ends at it again.",
        "try_cast and try_to_timestamp give null for what they cannot read; from_json does so for such a field.",
    ),
    Translation(
        "a batch that was not read to its end",
        r"STATE_STORE_COMMIT_VALIDATION_FAILED",
        "to end a batch of which not all rows were read",
        "A state store writes what it counted once its last row has been read. show, first and limit end early, and a "
        "function that does not look at the batch at all reads nothing: what those stores counted would be lost.",
        "In foreachBatch, go through the whole batch: batch.persist(), then a write or batch.count(), then look at it as "
        "you like, then batch.unpersist().",
    ),
    Translation(
        "as many partitions as before",
        r"SHUFFLE_PARTITIONS_ALREADY_MATCH",
        "to repartition a checkpoint into as many partitions as it has",
        "The number is in the checkpoint since it was repartitioned before, or since the query first began.",
        "Look into the newest entry of the offset log, and repartition only if it says another number.",
    ),
)


def is_the_machines(failure: Failure) -> bool:
    """Whether a run ended by no fault of the answer: the same answer comes through on a machine with time."""
    return _NO_PYTHON in failure.message + failure.detail


def translation_of(failure: Failure) -> Translation | None:
    """The translation of an error; None if it is not a known one."""
    return next((known for known in TRANSLATIONS if known.fits(failure)), None)
