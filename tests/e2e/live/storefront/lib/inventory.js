'use strict';

const http = require('http');

const base = process.env.INVENTORY_URL;

// How many of |sku| there are, after one was set aside.
function reserve(sku) {
  return new Promise((resolve, reject) => {
    const request = http.request(`${base}/stock/${sku}/reserve`, { method: 'POST' }, (answer) => {
      let text = '';
      answer.on('data', (part) => { text += part; });
      answer.on('end', () => resolve(JSON.parse(text).left));
    });
    request.on('error', reject);
    request.end();
  });
}

module.exports = { reserve };
