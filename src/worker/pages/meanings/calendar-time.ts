import type { Meaning } from './meaning.ts'

export const CALENDAR_TIME = {
  'month-end-rollover': {
    edge: 'Adding months to a day the target month lacks follows the clamp (or roll) rule, counted from the original anchor.',
    fault: 'Steps from the clamped result, so 31 Jan becomes 28 Feb and then 28 Mar.',
  },
  'leap-day-anniversary': {
    edge: 'A 29 February date has a stated anniversary in common years and returns to the 29th in leap years.',
    fault:
      'Calls date.replace(year=...), which raises in common years, or adds 365 days and drifts.',
  },
  'iso-week-year': {
    edge: 'A week label pairs the week number with the year that owns the week, not with the calendar year.',
    fault:
      'Formats the calendar year next to the ISO week, so days around New Year land a year off.',
  },
  'fiscal-period-mapping': {
    edge: 'A date maps to fiscal year and period by the start day and the naming rule.',
    fault:
      'Shifts the month for the quarter but not the year (or the reverse), so months before the start get a wrong label.',
  },
  'dst-gap-overlap': {
    edge: 'A local time inside a gap or an overlap is resolved by the stated policy from the given transition table.',
    fault:
      'Uses the offset in force at the naive guess, so skipped times map an hour off and repeated ones always to one side.',
  },
  'wall-vs-elapsed-day': {
    edge: 'Daily steps keep wall time or elapsed time, as stated, across offset changes.',
    fault:
      'Adds timedelta(days=1) on the UTC side where wall time is stated, so the job moves an hour or skips a day.',
  },
  'naive-timestamp-interpretation': {
    edge: 'Timestamps without offset are read in the stated zone and never mixed unmarked with aware ones.',
    fault: 'Drops tzinfo before comparing, so +02:00 and UTC values sort by their wall time.',
  },
  'utc-offset-parsing': {
    edge: 'One sign applies to hours and minutes, and the listed spellings and bounds are accepted.',
    fault:
      'Parses hours and minutes apart, so "-03:30" becomes minus three hours plus thirty minutes.',
  },
  'epoch-unit-and-sign': {
    edge: 'Epoch numbers are read in the declared unit, and negative ones round toward the past.',
    fault:
      'int(ms / 1000) truncates toward zero and goes through float, so instants before 1970 shift by one second.',
  },
  'time-bucket-truncation': {
    edge: 'An instant belongs to the bucket that starts at or before it in the stated zone and origin; buckets tile time.',
    fault:
      'Truncates in UTC where the report is local, so events near midnight land on the wrong day.',
  },
  'duration-component-loss': {
    edge: 'A duration is its total length, and formatting uses all of it with carry and sign.',
    fault:
      'Uses delta.seconds, which drops whole days and turns negative spans into large positive ones.',
  },
  'business-day-offset': {
    edge: 'Moving n business days skips weekends and holidays; starts on a closed day and n = 0 follow the rule.',
    fault:
      'Adds n calendar days and then steps to an open day, under-counting closed days in between.',
  },
  'calendar-difference': {
    edge: 'A difference counts completed units, and the remainder adds back to the end date.',
    fault:
      'Divides days by 365.25 or subtracts fields without borrowing, so birthdays are off by one.',
  },
  'overnight-window-membership': {
    edge: 'A daily window whose end precedes its start spans midnight and belongs to the day on which it starts.',
    fault: 'Tests start <= t < end, so a 22:00-06:00 window never matches.',
  },
  'nth-weekday-of-month': {
    edge: "'n-th weekday' and 'last weekday' are dates inside the month, or absent, as stated.",
    fault:
      'Computes 1 + 7 * (n - 1) + shift with a wrong modulo, so months that begin on that weekday are a week late.',
  },
  'end-of-day-inclusion': {
    edge: 'A period "until day D" includes the whole of D; nights, days and instants count as stated.',
    fault: 'Compares instants with midnight of D, dropping everything later on D.',
  },
} as const satisfies Record<string, Meaning>
