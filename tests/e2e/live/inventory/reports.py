from flask.views import MethodView

import stock


class ReportView(MethodView):
    def get(self, day):
        return {"day": day, "total": sum(stock.COUNTS.values())}
