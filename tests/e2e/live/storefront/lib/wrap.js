'use strict';

// Errors of an async handler go to Express.
function wrap(handler) {
  return (req, res, next) => Promise.resolve(handler(req, res, next)).catch(next);
}

module.exports = { wrap };
