import type { Meaning } from './meaning.ts'

export const NUMBERS_MONEY = {
  'rounding-mode-money': {
    edge: 'An amount is rounded once, with the stated mode, on decimal values.',
    fault:
      "Uses round() on floats: banker's rounding over binary approximations, so 2.675 and 0.125 surprise.",
  },
  'allocation-remainder': {
    edge: 'Shares sum to the total exactly, each within one unit of ideal, leftovers to the stated recipients.',
    fault: 'Rounds each share on its own, so the sum is off by some units.',
  },
  'tax-rounding-level': {
    edge: 'Tax is rounded at the stated level and totals equal the sum of what is shown.',
    fault: 'Rounds at another level, so the document differs by a cent from its lines.',
  },
  'currency-minor-units': {
    edge: 'Each currency has its own number of minor digits and cash step, and unknown codes follow the rule.',
    fault: 'Assumes two decimals, so yen are divided by 100 and dinars lose a digit.',
  },
  'float-tolerance-compare': {
    edge: 'Values within the stated tolerance are equal, also near zero, for large sizes and exactly at the limit.',
    fault: 'Uses == or a fixed absolute epsilon that fails for large magnitudes.',
  },
  'float-accumulation-drift': {
    edge: 'A sum or stepped sequence of many small numbers equals the exact decimal result at the stated precision.',
    fault: 'Adds 0.1 in a loop and stops on a comparison, so a step is gained or lost.',
  },
  'decimal-context-precision': {
    edge: 'Decimal results depend on the values given, not on the ambient context or on binary floats.',
    fault:
      'Builds Decimal from float and lets the ambient precision round large products, or changes that context for everyone.',
  },
  'ratio-zero-denominator': {
    edge: 'Rates with zero, missing or negative base return the stated value instead of an exception or nonsense.',
    fault: 'Guards with "if base" and returns 0 for real growth from zero.',
  },
  'nan-in-ordering': {
    edge: 'NaN, infinities and None in min, max, clamp, sort and threshold tests follow the stated rule.',
    fault: 'Uses the builtins, whose answer depends on where the NaN stands.',
  },
  'negative-floor-division': {
    edge: 'Quotient and remainder of negatives follow the stated convention and restore the number.',
    fault:
      'Uses // and % where truncation is stated (or int(a / b) where floor is), shifting negatives by one.',
  },
  'fixed-width-overflow': {
    edge: 'A w-bit value wraps, saturates or raises exactly at its limits.',
    fault: 'Emulated fields run past their range because Python integers never overflow.',
  },
  'serial-number-wraparound': {
    edge: 'Sequence numbers compare by circular distance, so a number just after the wrap is newer.',
    fault: 'Uses plain <, so after the wrap everything looks old.',
  },
  'large-integer-via-float': {
    edge: 'Integers of any size keep their exact value through division, rounding, roots, averages and text.',
    fault:
      'Passes through float (int(a / b), math.ceil(a / b), n ** 0.5), losing digits above 2**53.',
  },
  'bitmask-flag-semantics': {
    edge: 'Flag tests mean all, any or none as stated; the zero flag and composite flags behave as listed.',
    fault:
      'Tests mask & flag for truth, so a composite passes with one bit and the zero flag never matches.',
  },
  'tiered-bracket-boundaries': {
    edge: 'Each bracket owns the stated side of its limit, and rates apply marginally or to the whole.',
    fault:
      'Applies the top rate to the whole amount, or counts the unit at the limit in both brackets.',
  },
  'discount-stacking-order': {
    edge: 'Percent, fixed and capped reductions apply in the stated order, stop at the floor and are reported as applied.',
    fault: 'Adds the percentages or applies them in list order where fixed amounts come first.',
  },
} as const satisfies Record<string, Meaning>
