const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');

/** Finds the ends of responses in the bytes of a connection; bodies are counted, not kept. */
export class ResponseReader {
  #rest = null;
  #read = (chunk) => this.#readHead(chunk);
  #status = 0;
  #left = 0;
  #bytes = 0;

  /** @param onResponse called with the status and the bytes of the body of each response */
  constructor(onResponse) {
    this.onResponse = onResponse;
  }

  /** Takes the next bytes of the connection. */
  feed(bytes) {
    let chunk = this.#rest === null ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = null;
    while (chunk !== null && chunk.length > 0) chunk = this.#read(chunk);
  }

  /** Each step returns the unread bytes, or null when it needs more. */
  #readHead(chunk) {
    const end = chunk.indexOf(headEnd);
    if (end === -1) return this.#keep(chunk);
    const head = chunk.latin1Slice(0, end);
    this.#status = Number(head.slice(9, 12));
    this.#bytes = 0;
    const rest = chunk.subarray(end + headEnd.length);
    if (/\r\ntransfer-encoding: chunked/i.test(head)) {
      this.#read = (next) => this.#readChunkSize(next);
      return rest;
    }
    this.#left = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#left === 0 || this.#status === 304) return this.#finish(rest);
    this.#read = (next) => this.#readBody(next);
    return rest;
  }

  #readBody(chunk) {
    const size = Math.min(this.#left, chunk.length);
    this.#left -= size;
    this.#bytes += size;
    return this.#left === 0 ? this.#finish(chunk.subarray(size)) : null;
  }

  #readChunkSize(chunk) {
    const end = chunk.indexOf(lineEnd);
    if (end === -1) return this.#keep(chunk);
    const size = Number.parseInt(chunk.latin1Slice(0, end), 16);
    this.#bytes += size;
    this.#left = size + lineEnd.length;
    this.#read = size === 0 ? (next) => this.#readTrailer(next) : (next) => this.#readChunk(next);
    return chunk.subarray(end + lineEnd.length);
  }

  #readChunk(chunk) {
    const size = Math.min(this.#left, chunk.length);
    this.#left -= size;
    if (this.#left === 0) this.#read = (next) => this.#readChunkSize(next);
    return chunk.subarray(size);
  }

  #readTrailer(chunk) {
    return chunk.length < lineEnd.length
      ? this.#keep(chunk)
      : this.#finish(chunk.subarray(lineEnd.length));
  }

  #finish(rest) {
    this.#read = (next) => this.#readHead(next);
    this.onResponse(this.#status, this.#bytes);
    return rest;
  }

  #keep(chunk) {
    this.#rest = chunk;
    return null;
  }
}
