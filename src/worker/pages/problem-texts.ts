import type { ProblemSlug } from '../../protocol/problem.ts'

/** What a refusal means, for a person who has just met it. `PROBLEMS` holds its title and next step. */
export const PROBLEM_TEXTS: Readonly<Record<ProblemSlug, { means: string; steps: string[] }>> = {
  'json-invalid': {
    means:
      'The body could not be read as JSON in exactly one way. Duplicate keys, lone surrogates and numbers that lose digits are refused, since two readers could disagree about them, and a signature over such a text would mean nothing.',
    steps: [
      'If you built the body by hand, let a JSON library write it.',
      'Look for a byte order mark, for NaN, and for integers beyond 2^53.',
    ],
  },
  'body-incomplete': {
    means: 'The connection ended before all the bytes of the body had arrived. Nothing was stored.',
    steps: [
      'Send the same request again. It is safe to repeat, also after a crash.',
      'If it happens each time, a proxy on the way may have a size or time limit.',
    ],
  },
  'token-missing': {
    means:
      'This path acts for an organisation, so the request must carry a token signed with one of its keys.',
    steps: [
      'The failmap client signs by itself once a key is registered: failmap keygen, then failmap register.',
      'Your own client sends Authorization: Bearer and a compact JWS of type failmap-request+jwt.',
    ],
  },
  'token-invalid': {
    means:
      'The token does not fit this request. The answer does not say which part failed, because that would help somebody who forges tokens.',
    steps: [
      'Check that the key is registered at this address; each address has its own keys.',
      'Check that the token names this method, this path with its query, and the digest of exactly these bytes.',
      'A proxy that rewrites paths or bodies breaks the token.',
    ],
  },
  'clock-skew': {
    means:
      'Tokens live for minutes. This one starts in the future or is over, which usually means that a clock is wrong.',
    steps: [
      'On Linux timedatectl shows and sets the clock, on Windows w32tm.',
      'failmap doctor measures the difference.',
      'A virtual machine that slept often wakes with an old clock.',
    ],
  },
  'key-revoked': {
    means:
      'The key was revoked by its organisation, and nothing signed with it is accepted any more.',
    steps: [
      'Sign with another key of the organisation.',
      'With no key left, register a new organisation. Reports that were released stay valid.',
    ],
  },
  'signature-invalid': {
    means:
      'The signature does not belong to these bytes and this key. A single changed byte, a rewritten line ending or another key has this effect.',
    steps: [
      'Sign the bytes that you send, and do not change them afterwards.',
      'Check that kid in the header is the key that signs.',
    ],
  },
  unauthorized: {
    means: 'This path is for the operator of the service, or for its own parts.',
    steps: [
      'If you run the service, check OPERATOR_TOKEN or SANDBOX_TOKEN on both sides.',
      'If you do not, there is nothing here that you need.',
    ],
  },
  'not-found': {
    means:
      'Nothing that you may see is at this address. An id of another organisation gets the same answer as an id that never existed, so that ids cannot be probed.',
    steps: [
      'Check the id for a missing character.',
      'Check that you use the key of the organisation that owns it.',
      'A report of a live epoch appears here when the epoch releases it.',
    ],
  },
  'method-not-allowed': {
    means: 'The path exists, and this method does not exist on it.',
    steps: ['The API page lists the methods of each path.'],
  },
  'token-replayed': {
    means:
      'A token is good for one request, and this one was used. Either a client retried without signing again, or somebody sent a recorded request.',
    steps: [
      'Sign each request anew, with a fresh jti.',
      'If your client never repeats itself, look at what else can read your requests.',
    ],
  },
  'key-taken': {
    means: 'The key is registered already, and a key belongs to one organisation for ever.',
    steps: [
      'If it is yours, go on: there is nothing to register.',
      'Otherwise make a new key with failmap keygen.',
    ],
  },
  'epoch-exists': {
    means:
      'An epoch of this id is stored, with other content. Epochs never change, because reports point at their digests.',
    steps: [
      'Export under a new id.',
      'Sending the identical content again would have been accepted.',
    ],
  },
  'epoch-not-open': {
    means: 'The epoch is announced and does not take submissions yet.',
    steps: [
      'Wait for its opening time on the epoch page.',
      'Until then, practise on an open epoch.',
    ],
  },
  'epoch-closed': {
    means: 'The epoch has closed, so that all its reports can be released at the same moment.',
    steps: ['Choose an open epoch from the front page.'],
  },
  'epoch-mismatch': {
    means:
      'The manifest names digests that are not those of this epoch. The patches were probably made from prompts of another service or an older copy.',
    steps: [
      'Run failmap pull again and compare the digests.',
      'Answers to identical prompts are kept by the client, so little has to be asked again.',
    ],
  },
  'prompts-mismatch': {
    means: 'The uploaded prompts do not have the digest that the drawing states.',
    steps: [
      'Upload prompts.jsonl and drawing.json from one and the same export.',
      'Do not open and save the file on the way: an editor may change line endings.',
    ],
  },
  'patches-mismatch': {
    means:
      'The uploaded bytes do not have the digest, size or count that the signed manifest states.',
    steps: [
      'Send the file that was signed; failmap submit keeps both together.',
      'Uploading the right bytes to the same submission is still possible.',
    ],
  },
  'submission-state': {
    means: 'The submission exists, and this step is behind it or no longer possible.',
    steps: [
      'Read its state with failmap status.',
      'Patches are stored once; they cannot be replaced.',
    ],
  },
  'submission-conflict': {
    means: 'A different manifest with the same jti was sent before.',
    steps: [
      'To repeat a submission, send the first manifest unchanged: you get the same submission.',
      'For a new submission, sign a new manifest.',
    ],
  },
  'protocol-mismatch': {
    means: 'API and sandbox were deployed from different releases and do not trust each other.',
    steps: [
      'Operators: deploy both from one release.',
      'Submitters: nothing is lost; it is judged later.',
    ],
  },
  'corpus-mismatch': {
    means:
      'The sandbox holds other task generators than the epoch was drawn from, so it cannot derive the same hidden checks.',
    steps: [
      'Operators: start a sandbox with the corpus digest of the epoch card.',
      'Submitters: nothing is lost; it is judged later.',
    ],
  },
  'body-too-large': {
    means: 'The body is larger than this path accepts, counted after decompression.',
    steps: [
      'One module may have 64 KiB. A model that repeats itself without end is the usual cause.',
      'failmap run caps replies at the size that can be submitted.',
    ],
  },
  'media-unsupported': {
    means: 'The content type or content encoding is not one that this path reads.',
    steps: [
      'Send application/json, or application/x-ndjson for patches.',
      'Patches may be gzip; other encodings are refused.',
    ],
  },
  'body-invalid': {
    means: 'The body is JSON and does not have the documented shape. Unknown keys are refused too.',
    steps: [
      'Each entry of errors points at a place in the body.',
      'The shapes are on the API page, and in openapi.json for machines.',
    ],
  },
  'key-invalid': {
    means: 'The key is not an Ed25519 public key that can be trusted.',
    steps: [
      'Make one with failmap keygen.',
      'Send the public part only. If you sent a private key by mistake, throw that key away.',
    ],
  },
  'patches-invalid': {
    means:
      'Patches must hold every task of the epoch exactly once, in the order of the prompts. A task without an answer is a line whose module is null.',
    steps: [
      'Each entry of errors names a line.',
      'failmap submit orders and completes a file of predictions by itself.',
    ],
  },
  'budget-spent': {
    means:
      'The organisation has used all its submissions of this kind in this epoch. The budget keeps anybody from learning hidden checks by asking often.',
    steps: [
      'Submissions that failed through our fault are given back.',
      'An open epoch has no budget, and shows where a model is weak just as well.',
    ],
  },
  'rate-limited': {
    means: 'Too many requests came from this organisation or address in a short time.',
    steps: ['The failmap client waits by itself.'],
  },
  internal: {
    means:
      'A fault of the service, not of your request or your model. Faults of ours never lower a score.',
    steps: [
      'Try again in a minute; requests are safe to repeat.',
      'If it stays, send the operator the id in instance. The answer holds nothing else on purpose.',
    ],
  },
  busy: {
    means: 'Everything that could serve the request is occupied.',
    steps: ['The failmap client waits and repeats by itself.'],
  },
  quarantined: {
    means:
      'Modules with a known outcome are hidden among the patches of each shard. One of them came out differently than it must, so the shard was thrown away instead of being scored.',
    steps: [
      'Submitters: wait. It is judged again, and if it keeps failing the submission ends as incomplete, with its budget given back.',
      'Operators: look at the log of the sandbox that had the shard.',
    ],
  },
}
